# supplierd-imageworker, and what the plugin needs of it: the pool of workers and the store. Included by CMakeLists.txt.
pkg_check_modules(MEDIA_GRAPHICSMAGICK REQUIRED IMPORTED_TARGET GLOBAL GraphicsMagick++)
pkg_check_modules(MEDIA_CODECS REQUIRED IMPORTED_TARGET GLOBAL libjpeg libpng libwebp lcms2 zlib)
pkg_check_modules(MEDIA_SECCOMP REQUIRED IMPORTED_TARGET GLOBAL libseccomp)

add_library(supplierd-media-shared STATIC
    ${CMAKE_CURRENT_LIST_DIR}/shared/ImageType.cpp
    ${CMAKE_CURRENT_LIST_DIR}/shared/Refusal.cpp)
target_include_directories(supplierd-media-shared PUBLIC ${CMAKE_CURRENT_LIST_DIR})
target_compile_features(supplierd-media-shared PUBLIC cxx_std_20)
target_link_libraries(supplierd-media-shared PRIVATE supplierd-flags)

# All of the program but its main function: the tests look into it.
add_library(supplierd-imageworker-parts STATIC
    ${CMAKE_CURRENT_LIST_DIR}/worker/ColourProfile.cpp
    ${CMAKE_CURRENT_LIST_DIR}/worker/DeflatedProfile.cpp
    ${CMAKE_CURRENT_LIST_DIR}/worker/ImageJob.cpp
    ${CMAKE_CURRENT_LIST_DIR}/worker/JobLoop.cpp
    ${CMAKE_CURRENT_LIST_DIR}/worker/JpegDecoder.cpp
    ${CMAKE_CURRENT_LIST_DIR}/worker/JpegSegments.cpp
    ${CMAKE_CURRENT_LIST_DIR}/worker/Orientation.cpp
    ${CMAKE_CURRENT_LIST_DIR}/worker/PngChunks.cpp
    ${CMAKE_CURRENT_LIST_DIR}/worker/PngDecoder.cpp
    ${CMAKE_CURRENT_LIST_DIR}/worker/RowReducer.cpp
    ${CMAKE_CURRENT_LIST_DIR}/worker/Sandbox.cpp
    ${CMAKE_CURRENT_LIST_DIR}/worker/ThumbnailMaker.cpp
    ${CMAKE_CURRENT_LIST_DIR}/worker/WebpChunks.cpp
    ${CMAKE_CURRENT_LIST_DIR}/worker/WebpDecoder.cpp)
target_link_libraries(supplierd-imageworker-parts PUBLIC supplierd-media-shared
    PRIVATE PkgConfig::MEDIA_GRAPHICSMAGICK PkgConfig::MEDIA_CODECS PkgConfig::MEDIA_SECCOMP supplierd-flags)
if(SUPPLIERD_SANITIZE MATCHES "undefined")
    # It tries through a pipe whether memory can be read; the sandbox gives none, so every object would be a wrong one.
    add_library(supplierd-sandboxed-flags INTERFACE)
    target_compile_options(supplierd-sandboxed-flags INTERFACE -fno-sanitize=vptr)
    target_link_libraries(supplierd-imageworker-parts PRIVATE supplierd-sandboxed-flags) # behind those of supplierd-flags
endif()

add_executable(supplierd-imageworker ${CMAKE_CURRENT_LIST_DIR}/worker/main.cpp)
target_link_libraries(supplierd-imageworker PRIVATE supplierd-imageworker-parts supplierd-flags)
install(TARGETS supplierd-imageworker RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/supplierd)

# The server's side: no image library in it.
add_library(supplierd-media-images STATIC
    ${CMAKE_CURRENT_LIST_DIR}/src/FileListing.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/FileMediaStore.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/MediaKey.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/StoreFailure.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/WorkerChannel.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/WorkerPool.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/WorkerProcess.cpp)
target_include_directories(supplierd-media-images PUBLIC ${CMAKE_CURRENT_LIST_DIR}/src)
target_link_libraries(supplierd-media-images PUBLIC supplierd-media-shared Threads::Threads PRIVATE supplierd-flags)
