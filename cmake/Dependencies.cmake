# Finds what the library, the benchmarks and the tests link. A part that only some features need is
# optional: it adds its name to PAL_FEATURES, which `palpate --version` lists.

# pal_part(PART FOUND PACKAGE PURPOSE) declares the setting PAL_WITH_PART: AUTO takes the part where
# it was found, ON insists on it, OFF leaves it out. PAL_USE_PART then says whether it is in.
function(pal_part part found package purpose)
  set(PAL_WITH_${part} AUTO CACHE STRING "${purpose}: AUTO, ON or OFF")
  set_property(CACHE PAL_WITH_${part} PROPERTY STRINGS AUTO ON OFF)
  set(use FALSE)
  if(PAL_WITH_${part} AND found)
    set(use TRUE)
  elseif(PAL_WITH_${part} AND NOT PAL_WITH_${part} STREQUAL "AUTO")
    message(FATAL_ERROR "PAL_WITH_${part} is ON, but it was not found; install ${package}")
  endif()
  set(PAL_USE_${part} ${use} PARENT_SCOPE)
endfunction()

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
set(PAL_FEATURES "")

add_library(palpate_dependencies INTERFACE)
add_library(palpate_bench_dependencies INTERFACE)
target_link_libraries(palpate_dependencies INTERFACE m Threads::Threads)

# Scene files.
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
target_link_libraries(palpate_dependencies INTERFACE PkgConfig::YAML)
string(APPEND PAL_FEATURES "\"libyaml ${YAML_VERSION}\",")

# The order of elimination of sparse matrices. METIS has no pkg-config file.
find_library(METIS_LIBRARY metis REQUIRED)
find_path(METIS_INCLUDE metis.h REQUIRED)
target_link_libraries(palpate_dependencies INTERFACE ${METIS_LIBRARY})
target_include_directories(palpate_dependencies INTERFACE ${METIS_INCLUDE})
string(APPEND PAL_FEATURES "\"metis 5\",")

# Small dense eigenproblems of the low rate. LAPACKE before OpenBLAS: the other order may bind the
# slow reference implementation.
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
target_link_libraries(palpate_dependencies INTERFACE PkgConfig::LAPACKE PkgConfig::OPENBLAS)
string(APPEND PAL_FEATURES "\"openblas ${OPENBLAS_VERSION}\",")

# OBJ, STL and glTF meshes.
pkg_check_modules(ASSIMP IMPORTED_TARGET assimp)
pal_part(ASSIMP "${ASSIMP_FOUND}" libassimp-dev "OBJ, STL and glTF meshes")
if(PAL_USE_ASSIMP)
  target_link_libraries(palpate_dependencies INTERFACE PkgConfig::ASSIMP)
  target_compile_definitions(palpate_dependencies INTERFACE PAL_HAVE_ASSIMP)
  string(APPEND PAL_FEATURES "\"assimp ${ASSIMP_VERSION}\",")
endif()

# The viewer: a web server, and Node to bundle the page with. CivetWeb's CMake file is of no use.
find_library(CIVETWEB_LIBRARY civetweb)
find_path(CIVETWEB_INCLUDE civetweb.h)
find_program(NODE_PROGRAM NAMES node nodejs)
find_program(NPM_PROGRAM npm)
set(VIEWER_FOUND FALSE)
if(CIVETWEB_LIBRARY AND CIVETWEB_INCLUDE AND NODE_PROGRAM AND NPM_PROGRAM)
  set(VIEWER_FOUND TRUE)
endif()
pal_part(VIEWER ${VIEWER_FOUND} "libcivetweb-dev, nodejs and npm" "Browser viewer")
if(PAL_USE_VIEWER)
  include(cmake/ViewerPackages.cmake)
endif()
if(PAL_USE_VIEWER)
  string(APPEND PAL_FEATURES "\"viewer\",")
elseif(NOT PAL_WITH_VIEWER OR VIEWER_FOUND)
  message(STATUS "Viewer: not in this build")
else()
  message(WARNING "Viewer: not in this build; install libcivetweb-dev, nodejs and npm, or set "
          "PAL_WITH_VIEWER to OFF")
endif()

# The baseline of `palpate bench proximity`.
find_library(EMBREE_LIBRARY embree3)
find_path(EMBREE_INCLUDE embree3/rtcore.h)
set(EMBREE_FOUND FALSE)
if(EMBREE_LIBRARY AND EMBREE_INCLUDE)
  set(EMBREE_FOUND TRUE)
endif()
pal_part(EMBREE ${EMBREE_FOUND} libembree-dev "Baseline of bench proximity")
if(PAL_USE_EMBREE)
  target_link_libraries(palpate_bench_dependencies INTERFACE ${EMBREE_LIBRARY})
  target_include_directories(palpate_bench_dependencies INTERFACE ${EMBREE_INCLUDE})
  target_compile_definitions(palpate_bench_dependencies INTERFACE PAL_HAVE_EMBREE)
  string(APPEND PAL_FEATURES "\"embree 3 (benchmarks)\",")
endif()

# The baseline of `palpate bench world`.
pkg_check_modules(ODE IMPORTED_TARGET ode)
pal_part(ODE "${ODE_FOUND}" libode-dev "Baseline of bench world")
if(PAL_USE_ODE)
  target_link_libraries(palpate_bench_dependencies INTERFACE PkgConfig::ODE)
  target_compile_definitions(palpate_bench_dependencies INTERFACE PAL_HAVE_ODE)
  string(APPEND PAL_FEATURES "\"ode ${ODE_VERSION} (benchmarks)\",")
endif()

# FCLib's stored friction problems, which are HDF5.
pkg_check_modules(HDF5 IMPORTED_TARGET hdf5)
if(HDF5_FOUND)
  target_link_libraries(palpate_dependencies INTERFACE PkgConfig::HDF5)
  target_compile_definitions(palpate_dependencies INTERFACE PAL_HAVE_HDF5)
  string(APPEND PAL_FEATURES "\"hdf5 ${HDF5_VERSION}\",")
endif()

# The oracle of the contact solvers (tests) and the baseline of `palpate bench solve`: its headers
# are needed here, the library is loaded when it is used.
find_library(SICONOS_NUMERICS_LIBRARY siconos_numerics)
find_path(SICONOS_INCLUDE siconos/numerics/NumericsMatrix.h)
add_library(palpate_siconos INTERFACE)
if(SICONOS_NUMERICS_LIBRARY AND SICONOS_INCLUDE)
  target_include_directories(palpate_siconos SYSTEM INTERFACE ${SICONOS_INCLUDE}/siconos
                             ${SICONOS_INCLUDE}/siconos/numerics)
  target_compile_definitions(palpate_siconos INTERFACE PAL_HAVE_SICONOS
                             PAL_SICONOS_LIBRARY="${SICONOS_NUMERICS_LIBRARY}")
  target_link_libraries(palpate_siconos INTERFACE ${CMAKE_DL_LIBS})
  string(APPEND PAL_FEATURES "\"siconos (benchmarks)\",")
endif()
target_link_libraries(palpate_bench_dependencies INTERFACE palpate_siconos)

# The oracle of the linear algebra (tests). CHOLMOD has parts under the GPL: it is never linked to
# the library or the program; `palpate bench factor` loads it at run time where it is installed.
find_library(CHOLMOD_LIBRARY cholmod)
find_path(CHOLMOD_INCLUDE cholmod.h PATH_SUFFIXES suitesparse)
add_library(palpate_cholmod INTERFACE)
if(CHOLMOD_LIBRARY AND CHOLMOD_INCLUDE)
  target_include_directories(palpate_cholmod SYSTEM INTERFACE ${CHOLMOD_INCLUDE})
  target_compile_definitions(palpate_cholmod INTERFACE PAL_HAVE_CHOLMOD
                             PAL_CHOLMOD_LIBRARY="${CHOLMOD_LIBRARY}")
  target_link_libraries(palpate_cholmod INTERFACE ${CMAKE_DL_LIBS})
  string(APPEND PAL_FEATURES "\"cholmod (benchmarks)\",")
endif()
target_link_libraries(palpate_bench_dependencies INTERFACE palpate_cholmod)
