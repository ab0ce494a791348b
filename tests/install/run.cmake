# Installs BUILD into a fresh folder under WORK, builds SOURCE/consumer against what is there, and runs it and the
# installed command line.
set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

function(run)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
foreach(core_only OFF ON)
  set(build ${WORK}/consumer-${core_only})
  run(${CMAKE_COMMAND} -S ${SOURCE}/consumer -B ${build} -G Ninja -DCMAKE_BUILD_TYPE=Release
      -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${prefix} -DCORE_ONLY=${core_only})
  run(${CMAKE_COMMAND} --build ${build})
  run(${build}/consumer)
endforeach()
# Who links the core alone gets no library of file formats.
execute_process(COMMAND ldd ${WORK}/consumer-ON/consumer OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
if(needed MATCHES "lib(png|jpeg|zip|matio|hdf5|netcdf|tiff|curl)")
  message(FATAL_ERROR "the core links ${CMAKE_MATCH_0}")
endif()
run(${prefix}/bin/lacuna --version)

# What is installed must not point back to where it was built, nor to where this machine keeps its libraries.
file(GLOB_RECURSE configs ${prefix}/*.cmake)
foreach(config ${configs})
  file(STRINGS ${config} lines)
  foreach(forbidden ${BUILD} ${SOURCE} libmatio.so libzip.so libhdf5)
    string(FIND "${lines}" "${forbidden}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${config} names ${forbidden}")
    endif()
  endforeach()
endforeach()
