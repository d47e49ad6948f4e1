# Tests of the whole plugin: a real server, real workers, a loopback origin. Included by CMakeLists.txt.
add_library(supplierd-media-world STATIC
    ${CMAKE_CURRENT_LIST_DIR}/LoopbackOrigin.cpp
    ${CMAKE_CURRENT_LIST_DIR}/MediaWorld.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PictureOrigin.cpp)
target_link_libraries(supplierd-media-world PUBLIC supplierd-media-fixtures OpenSSL::SSL PRIVATE supplierd-flags)
add_dependencies(supplierd-media-world supplierd supplierctl categories catalog media supplierd-imageworker)

supplierd_add_test(plugin-media-test
    SOURCES
        ${CMAKE_CURRENT_LIST_DIR}/FileServingTest.cpp
        ${CMAKE_CURRENT_LIST_DIR}/ImageChangesTest.cpp
        ${CMAKE_CURRENT_LIST_DIR}/ImageRoutesTest.cpp
        ${CMAKE_CURRENT_LIST_DIR}/MediaSettingsTest.cpp
    LIBRARIES supplierd-media-world)
get_property(installed_worker TARGET media PROPERTY SUPPLIERD_INSTALLED_WORKER)
target_compile_definitions(plugin-media-test PRIVATE
    SUPPLIERD_IMAGEWORKER="$<TARGET_FILE:supplierd-imageworker>"
    SUPPLIERD_MEDIA_INSTALLED_WORKER="${installed_worker}")

supplierd_add_test(plugin-media-origin-test
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/OriginTroublesTest.cpp ${CMAKE_CURRENT_LIST_DIR}/TestAuthority.cpp
    LIBRARIES supplierd-media-world)

supplierd_add_test(plugin-media-verify-test
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/LibraryVerifyTest.cpp
    LIBRARIES supplierd-media-world)

supplierd_add_test(plugin-media-races-test
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/ImageRacesTest.cpp
    LIBRARIES supplierd-media-world
    LABELS slow)

supplierd_add_test(plugin-media-troubles-test
    SOURCES
        ${CMAKE_CURRENT_LIST_DIR}/StoreTroublesTest.cpp
        ${CMAKE_CURRENT_LIST_DIR}/WorkerTroublesTest.cpp
    LIBRARIES supplierd-media-world supplierd-media-mounts
    LABELS slow)
target_compile_definitions(plugin-media-troubles-test PRIVATE
    SUPPLIERD_IMAGEWORKER="$<TARGET_FILE:supplierd-imageworker>"
    SUPPLIERD_BAD_WORKER="$<TARGET_FILE:media-bad-worker>")
add_dependencies(plugin-media-troubles-test media-bad-worker)

supplierd_add_test(plugin-media-api-corpora-test
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/CorporaThroughApiTest.cpp ${CMAKE_CURRENT_LIST_DIR}/UrlTable.cpp
    LIBRARIES supplierd-media-world
    LABELS slow)

# Not a test: prints how the server's memory grows with the images that it takes.
add_executable(media-memory-growth ${CMAKE_CURRENT_LIST_DIR}/MemoryGrowth.cpp)
target_link_libraries(media-memory-growth PRIVATE supplierd-media-world supplierd-flags)
