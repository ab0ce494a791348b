// SPDX-License-Identifier: MIT
#include "dist/world.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include "base/beside.hpp"

namespace lacuna {

int launched_processes() {
  // Of Open MPI, MPICH's and others' launchers, and Slurm's srun. Under Slurm a process outside of srun has
  // SLURM_NTASKS, too, but no SLURM_STEP_NUM_TASKS.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* text = std::getenv(name)) return std::max(1, std::atoi(text));
  return 1;
}

Result<std::unique_ptr<World>> join_world() {
  const int processes = launched_processes();
  if (processes == 1) return std::unique_ptr<World>();
  const auto path = find_beside(kModule);
  if (!path)
    return usage_error("", "started as one of " + std::to_string(processes) +
                               " processes, but this program was built without MPI (cmake -DLACUNA_MPI=ON)");
  // Global: MPI loads parts of its own that look for its names.
  void* const module = ::dlopen(path->c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr) return usage_error(*path, std::string("it cannot be loaded: ") + ::dlerror());
  const auto join = reinterpret_cast<Join>(::dlsym(module, kJoin));
  if (join == nullptr) return usage_error(*path, "it is not lacuna's module for MPI");
  std::unique_ptr<World> world(join());
  // Each would do all of the work, and write over what the others do.
  if (const int met = world->everyone().size(); met != processes) {
    world->leave();
    return usage_error(
        "", "started as one of " + std::to_string(processes) + " processes, but MPI has met " +
                std::to_string(met) +
                " of them: start it with the launcher of the MPI that it was built with (mpirun, or "
                "srun --mpi=pmix)");
  }
  return world;
}

}  // namespace lacuna
