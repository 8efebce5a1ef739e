# The public face: weir/*.h with weir/*.cc, and weir/limiter/ behind it. In two libraries, so that weir::core has all of
# it that needs no policy.
file(GLOB face_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/weir/*.cc ${CMAKE_SOURCE_DIR}/weir/limiter/*.cc)
set(WEIR_FACE_TESTS ${face_sources})
list(FILTER face_sources EXCLUDE REGEX "_test\\.cc$")
list(FILTER WEIR_FACE_TESTS INCLUDE REGEX "_test\\.cc$")
set(WEIR_POLICY_SOURCES ${face_sources})
list(FILTER face_sources EXCLUDE REGEX "/policy_[^/]*$")
list(FILTER WEIR_POLICY_SOURCES INCLUDE REGEX "/policy_[^/]*$")

find_package(Threads REQUIRED)
add_library(weir_face STATIC ${face_sources})
target_include_directories(weir_face PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>)
target_link_libraries(weir_face PUBLIC weir_store Threads::Threads PRIVATE $<BUILD_INTERFACE:weir_options>)
weir_precompile(weir_face)

# REQUIRES: weir_engine.
function(weir_policy_face)
  add_library(weir_policy_face STATIC ${WEIR_POLICY_SOURCES})
  target_link_libraries(weir_policy_face PUBLIC weir_face weir_engine PRIVATE $<BUILD_INTERFACE:weir_options>)
  weir_precompile(weir_policy_face)
  if(TARGET weir_test_support)
    add_executable(weir_weir_test ${WEIR_FACE_TESTS})
    add_dependencies(unit_tests weir_weir_test)
    add_dependencies(threaded_tests weir_weir_test)
    target_link_libraries(weir_weir_test PRIVATE weir_policy_face weir_test_support)
    target_precompile_headers(weir_weir_test REUSE_FROM weir_test_support)
    gtest_discover_tests(weir_weir_test TEST_PREFIX "weir." DISCOVERY_TIMEOUT 60 DISCOVERY_MODE PRE_TEST
                         WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  endif()
endfunction()
