# Tests of the image worker, its pool and the store. Included by CMakeLists.txt.
pkg_check_modules(MEDIA_TEST_IMAGES REQUIRED IMPORTED_TARGET GraphicsMagick++ lcms2 libwebp zlib)

add_library(supplierd-media-fixtures STATIC
    ${CMAKE_CURRENT_LIST_DIR}/CorpusFiles.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ImageFixtures.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PngFixtures.cpp)
target_link_libraries(supplierd-media-fixtures PUBLIC supplierd-test-support supplierd-imageworker-parts
    supplierd-media-images PkgConfig::MEDIA_TEST_IMAGES PRIVATE supplierd-flags)

# Behaves as badly as the name under which it is started says.
add_executable(media-bad-worker ${CMAKE_CURRENT_LIST_DIR}/BadWorker.cpp)
target_link_libraries(media-bad-worker PRIVATE supplierd-media-shared supplierd-flags)

supplierd_add_test(plugin-media-sanitizer-test
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/ProfileTest.cpp ${CMAKE_CURRENT_LIST_DIR}/SanitizerTest.cpp
            ${CMAKE_CURRENT_LIST_DIR}/ThumbnailTest.cpp
    LIBRARIES supplierd-media-fixtures)

supplierd_add_test(plugin-media-corpora-test
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/CorporaTest.cpp
    LIBRARIES supplierd-media-fixtures)

supplierd_add_test(plugin-media-sandbox-test
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/SandboxTest.cpp
    LIBRARIES supplierd-media-fixtures)

supplierd_add_test(plugin-media-pool-test
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/WorkerPoolTest.cpp ${CMAKE_CURRENT_LIST_DIR}/WorkerSocketTest.cpp
    LIBRARIES supplierd-media-fixtures)

add_library(supplierd-media-mounts STATIC ${CMAKE_CURRENT_LIST_DIR}/PrivateMounts.cpp)
target_link_libraries(supplierd-media-mounts PUBLIC supplierd-test-support PRIVATE supplierd-flags)

supplierd_add_test(plugin-media-store-test
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/FileMediaStoreTest.cpp ${CMAKE_CURRENT_LIST_DIR}/StorePowerCutTest.cpp
    LIBRARIES supplierd-media-fixtures supplierd-media-mounts)

# Not a test: prints the rate of thumbnails beside that of gm convert.
add_executable(media-image-rate ${CMAKE_CURRENT_LIST_DIR}/ImageRate.cpp)
target_link_libraries(media-image-rate PRIVATE supplierd-media-fixtures supplierd-flags)

foreach(program IN ITEMS plugin-media-corpora-test plugin-media-pool-test media-image-rate)
    target_compile_definitions(${program} PRIVATE
        SUPPLIERD_IMAGEWORKER="$<TARGET_FILE:supplierd-imageworker>"
        SUPPLIERD_BAD_WORKER="$<TARGET_FILE:media-bad-worker>")
    add_dependencies(${program} supplierd-imageworker media-bad-worker)
endforeach()
