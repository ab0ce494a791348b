#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A fit that several machines share, as a job of Slurm: sbatch examples/slurm.sh TRAIN MODEL [flags of lacuna fit]
# One process for each socket, with threads on its cores; lacuna must be built with -DLACUNA_MPI=ON (docs/cluster.md).
#SBATCH --job-name=lacuna
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=16
#SBATCH --time=02:00:00
#SBATCH --signal=TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

if (($# < 2)); then
  echo "slurm.sh: found $# arguments, expected TRAIN MODEL [flags of lacuna fit]" >&2
  exit 2
fi
train=$1
model=$2
shift 2

# Every five minutes and when it is stopped the fit leaves $model.ckpt. TERM comes two minutes before the time is up: all
# processes stop at the same step, and the best point so far is saved. A job that is submitted again, by hand or by Slurm
# where a node has failed, goes on from there with any number of processes; the first time there is no such file, and it
# begins. Once a fit has ended well its checkpoint is of no more use.
srun --mpi=pmix "${LACUNA:-lacuna}" fit "$train" -o "$model" --checkpoint "$model.ckpt" --resume "$model.ckpt" \
  --threads "${SLURM_CPUS_PER_TASK:-1}" -v "$@"
rm -f "$model.ckpt"
