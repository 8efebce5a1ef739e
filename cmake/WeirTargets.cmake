# How Weir's own targets are made: one static library per layer, its unit tests beside it.
include(CTest)

add_library(weir_options INTERFACE)
target_compile_options(weir_options INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror -pthread)
target_link_options(weir_options INTERFACE -pthread)
if(WEIR_SANITIZE)
  target_compile_options(weir_options INTERFACE -fsanitize=${WEIR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(weir_options INTERFACE -fsanitize=${WEIR_SANITIZE})
endif()
if(WEIR_FUZZ)
  target_compile_options(weir_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(WEIR_CCACHE ccache)
if(WEIR_CCACHE)
  # The slopping is what lets ccache serve files that use a precompiled header, the rest what lets one clone use what
  # another built.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${WEIR_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(weir_options INTERFACE -fpch-preprocess)
  else()
    target_compile_options(weir_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()
find_program(WEIR_MOLD mold)
if(WEIR_MOLD AND NOT CMAKE_SYSTEM_NAME STREQUAL "Windows")
  target_link_options(weir_options INTERFACE -fuse-ld=mold)
endif()

# xxhash is used header-only: one header, no library to link.
find_path(WEIR_XXHASH_INCLUDE xxhash.h PATHS /usr/include REQUIRED NO_CMAKE_FIND_ROOT_PATH)
add_library(weir_xxhash INTERFACE)
if(CMAKE_CROSSCOMPILING)
  # Copied out, so that the host's other headers stay out of a cross build.
  file(COPY ${WEIR_XXHASH_INCLUDE}/xxhash.h DESTINATION ${CMAKE_BINARY_DIR}/xxhash)
  target_include_directories(weir_xxhash SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/xxhash)
endif()
target_compile_definitions(weir_xxhash INTERFACE XXH_INLINE_ALL)

set(WEIR_PCH <algorithm> <array> <atomic> <bit> <charconv> <cstddef> <cstdint> <cstring> <functional> <limits> <memory>
    <optional> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector>)

if(BUILD_TESTING AND NOT WEIR_CORE_ONLY AND NOT WEIR_FUZZ)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  include(GoogleTest)
  # What a layer's tests share: the oracle and helpers of tests/, and precompiled GoogleTest.
  file(GLOB WEIR_TEST_SUPPORT CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/support/*.cc)
  add_library(weir_test_support STATIC ${WEIR_TEST_SUPPORT})
  target_link_libraries(weir_test_support PUBLIC weir_limit weir_options GTest::gmock_main rapidcheck)
  target_include_directories(weir_test_support PUBLIC ${CMAKE_SOURCE_DIR})
  # In one file alone, so that another clone's compiler cache knows all others.
  set_source_files_properties(${CMAKE_SOURCE_DIR}/tests/support/source_dir.cc PROPERTIES
                              COMPILE_DEFINITIONS WEIR_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_precompile_headers(weir_test_support PRIVATE ${WEIR_PCH} <gtest/gtest.h> <gmock/gmock.h>)
endif()

# One precompiled header for all layers: that of the lowest.
function(weir_precompile target)
  if(NOT target STREQUAL weir_base)
    target_precompile_headers(${target} REUSE_FROM weir_base)
  else()
    target_precompile_headers(${target} PRIVATE ${WEIR_PCH})
  endif()
endfunction()

# All unit tests, without the rest: what a sanitizer build needs.
add_custom_target(unit_tests)
# Those in which threads meet: what the thread sanitizer is for.
add_custom_target(threaded_tests)

# weir_layer(NAME [THREADED] LINK target...): the *.cc under weir/NAME become the library weir_NAME, the *_test.cc the program weir_NAME_test.
function(weir_layer name)
  cmake_parse_arguments(LAYER "THREADED" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/weir/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  add_library(weir_${name} STATIC ${sources})
  target_include_directories(weir_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>)
  target_link_libraries(weir_${name} PUBLIC ${LAYER_LINK} PRIVATE $<BUILD_INTERFACE:weir_options>)
  weir_precompile(weir_${name})
  if(tests AND TARGET weir_test_support)
    add_executable(weir_${name}_test ${tests})
    add_dependencies(unit_tests weir_${name}_test)
    if(LAYER_THREADED)
      add_dependencies(threaded_tests weir_${name}_test)
    endif()
    target_link_libraries(weir_${name}_test PRIVATE weir_${name} weir_test_support)
    target_precompile_headers(weir_${name}_test REUSE_FROM weir_test_support)
    gtest_discover_tests(weir_${name}_test TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 DISCOVERY_MODE PRE_TEST
                         WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  endif()
endfunction()
