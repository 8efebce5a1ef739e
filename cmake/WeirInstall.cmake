# cmake --install build/release --prefix DIR [--component library|program]: the library for find_package(weir), and the
# program. The headers that are installed are those that a user's program may include, and what these include.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(weir_package ${CMAKE_INSTALL_LIBDIR}/cmake/weir)

# weir_install(EXPORT target...): weir_NAME becomes weir::NAME for others.
function(weir_install export)
  foreach(target ${ARGN})
    string(REGEX REPLACE "^weir_" "" name ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  endforeach()
  install(TARGETS ${ARGN} EXPORT ${export} COMPONENT library INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT ${export} NAMESPACE weir:: DESTINATION ${weir_package} COMPONENT library)
endfunction()

weir_install(weirCoreTargets weir_core weir_face weir_store weir_sketch weir_limit weir_base)
if(NOT WEIR_CORE_ONLY)
  weir_install(weirTargets weir_weir weir_policy_face weir_engine weir_policy)
  install(TARGETS weir RUNTIME COMPONENT program)
endif()

file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/weir/*.h)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weir COMPONENT library)
foreach(layer base limit sketch)
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/weir/${layer}/*.h)
  install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weir/${layer} COMPONENT library)
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/weir/store/memory_store.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weir/store COMPONENT library)
install(FILES ${CMAKE_SOURCE_DIR}/weir/policy/request.h ${CMAKE_SOURCE_DIR}/weir/policy/rule.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weir/policy COMPONENT library)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)

configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/weirConfig.cmake.in ${CMAKE_BINARY_DIR}/weirConfig.cmake
                              INSTALL_DESTINATION ${weir_package})
# Before 1.0 a minor version may change what a program sees.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/weirConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/weirConfig.cmake ${CMAKE_BINARY_DIR}/weirConfigVersion.cmake
        DESTINATION ${weir_package} COMPONENT library)
