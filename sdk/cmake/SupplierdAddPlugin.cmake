# What a plugin's CMakeLists.txt calls, in the source tree of supplierd and out of it alike.
include_guard(GLOBAL)

# supplierd_install_configuration(<absolute folder> <file>...)
# Installs files that an administrator edits: what is there already is kept. Readable by the server's group only, since
# they may come to hold a password.
function(supplierd_install_configuration FOLDER)
    foreach(file IN LISTS ARGN)
        get_filename_component(path "${file}" ABSOLUTE)
        get_filename_component(name "${file}" NAME)
        install(CODE "
            if(EXISTS \"\$ENV{DESTDIR}${FOLDER}/${name}\")
                message(STATUS \"Kept: \$ENV{DESTDIR}${FOLDER}/${name}\")
            else()
                file(INSTALL \"${path}\" DESTINATION \"${FOLDER}\" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ)
            endif()")
    endforeach()
endfunction()

# A raw string literal of C++ with this text.
function(supplierd_raw_literal OUT TEXT)
    set(delimiter "text")
    string(FIND "${TEXT}" ")${delimiter}\"" clash)
    while(NOT clash EQUAL -1)
        string(APPEND delimiter "_")
        string(FIND "${TEXT}" ")${delimiter}\"" clash)
    endwhile()
    set(${OUT} "R\"${delimiter}(${TEXT})${delimiter}\"" PARENT_SCOPE)
endfunction()

# Writes a header where the target finds it; one that is so already keeps its time.
function(supplierd_write_generated TARGET NAME TEXT)
    set(header "${CMAKE_CURRENT_BINARY_DIR}/generated/${NAME}")
    set(old "")
    if(EXISTS "${header}")
        file(READ "${header}" old)
    endif()
    if(NOT old STREQUAL TEXT)
        file(WRITE "${header}" "${TEXT}")
    endif()
    target_include_directories(${TARGET} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/generated")
endfunction()

# supplierd_embed_migrations(<target> HEADER <name>.h NAMESPACE <namespace> FILES migrations/0001_first.sql ...)
# Gives the target a header with `std::vector<supplierd::Migration> <namespace>::migrations()`.
function(supplierd_embed_migrations TARGET)
    cmake_parse_arguments(ARG "" "HEADER;NAMESPACE" "FILES" ${ARGN})
    set(entries "")
    foreach(file IN LISTS ARG_FILES)
        get_filename_component(path "${file}" ABSOLUTE)
        get_filename_component(stem "${file}" NAME_WE)
        if(NOT stem MATCHES "^([0-9][0-9][0-9][0-9])_([a-z0-9_]+)$")
            message(FATAL_ERROR "${file}: a migration is named NNNN_name.sql, e.g. 0001_notes.sql")
        endif()
        set(name "${CMAKE_MATCH_2}")
        string(REGEX REPLACE "^0+" "" number "${CMAKE_MATCH_1}")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
        file(READ "${path}" sql)
        supplierd_raw_literal(literal "${sql}")
        string(APPEND entries "        {${number}, \"${name}\", ${literal}},\n")
    endforeach()

    string(CONCAT text "// Written by supplierd_embed_migrations(); do not edit.\n" "#pragma once\n\n"
        "#include <supplierd/Plugin.h>\n\n" "#include <vector>\n\n" "namespace ${ARG_NAMESPACE} {\n\n"
        "inline std::vector<supplierd::Migration> migrations() {\n" "    return {\n" "${entries}" "    };\n" "}\n\n"
        "} // namespace ${ARG_NAMESPACE}\n")
    supplierd_write_generated(${TARGET} ${ARG_HEADER} "${text}")
endfunction()

# supplierd_embed_openapi(<target> HEADER <name>.h NAMESPACE <namespace> FILE openapi.json)
# Gives the target a header with `std::string <namespace>::openapi()`.
function(supplierd_embed_openapi TARGET)
    cmake_parse_arguments(ARG "" "HEADER;NAMESPACE;FILE" "" ${ARGN})
    get_filename_component(path "${ARG_FILE}" ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
    file(READ "${path}" document)
    string(JSON version ERROR_VARIABLE problem GET "${document}" openapi)
    if(problem)
        message(FATAL_ERROR "${ARG_FILE} is no OpenAPI document in JSON: ${problem}")
    endif()
    supplierd_raw_literal(literal "${document}")
    string(CONCAT text "// Written by supplierd_embed_openapi(); do not edit.\n" "#pragma once\n\n" "#include <string>\n\n"
        "namespace ${ARG_NAMESPACE} {\n\n" "inline std::string openapi() {\n" "    return ${literal};\n" "}\n\n"
        "} // namespace ${ARG_NAMESPACE}\n")
    supplierd_write_generated(${TARGET} ${ARG_HEADER} "${text}")
endfunction()

# supplierd_embed_needs(<target> <name> NAMESPACE <namespace> NEEDS <need>...)
# Gives the target the ELF note `.note.supplierd.needs`, which packaging tools read, and a header with the same for the
# plugin's description: `std::vector<std::string> <namespace>::needs()`.
function(supplierd_embed_needs TARGET NAME)
    cmake_parse_arguments(ARG "" "NAMESPACE" "NEEDS" ${ARGN})
    set(note "")
    set(entries "")
    foreach(need IN LISTS ARG_NEEDS)
        if(NOT need MATCHES "^([a-z0-9-]+( >= [0-9]+(\\.[0-9]+)*)?|[a-z0-9.-]+/[0-9]+)$")
            message(FATAL_ERROR "supplierd_add_plugin(${NAME}): NEEDS \"${need}\": write a plugin's id, an id and the "
                "least version (\"catalog >= 1.2\"), or a service's id (\"vendor.thing/1\")")
        endif()
        string(APPEND note "${need}\\n")
        string(APPEND entries "\"${need}\", ")
    endforeach()
    string(CONCAT text "// Written by supplierd_embed_needs(); do not edit.\n" "#pragma once\n\n" "#include <string>\n"
        "#include <vector>\n\n" "namespace ${ARG_NAMESPACE} {\n\n" "inline std::vector<std::string> needs() {\n"
        "    return {${entries}};\n" "}\n\n" "} // namespace ${ARG_NAMESPACE}\n")
    supplierd_write_generated(${TARGET} ${NAME}Needs.h "${text}")
    string(CONCAT text "// Written by supplierd_embed_needs(); do not edit.\n" "#include <cstdint>\n\n"
        "namespace ${ARG_NAMESPACE} {\n\n" "constexpr std::uint32_t NEEDS_SIZE = (sizeof(\"${note}\") + 3) / 4 * 4;\n\n"
        "struct NeedsNote {\n" "    std::uint32_t ownerSize = 10;\n" "    std::uint32_t size = NEEDS_SIZE;\n"
        "    std::uint32_t type = 2;\n" "    char owner[12] = \"supplierd\";\n"
        "    char text[NEEDS_SIZE] = \"${note}\";\n" "};\n\n"
        "__attribute__((section(\".note.supplierd.needs\"), used, aligned(4))) constexpr NeedsNote NEEDS_NOTE{};\n\n"
        "} // namespace ${ARG_NAMESPACE}\n")
    set(source "${CMAKE_CURRENT_BINARY_DIR}/generated/${NAME}Needs.cpp")
    set(old "")
    if(EXISTS "${source}")
        file(READ "${source}" old)
    endif()
    if(NOT old STREQUAL text)
        file(WRITE "${source}" "${text}")
    endif()
    target_sources(${TARGET} PRIVATE "${source}")
endfunction()

# supplierd_embed_description(<target> <name> NAMESPACE <namespace> PARTS Migrations OpenApi Needs)
# Gives the target a header with `supplierd::PluginDescription <namespace>::description()`, which has what the headers
# <name>Migrations.h, <name>OpenApi.h and <name>Needs.h hold, of those that are named.
function(supplierd_embed_description TARGET NAME)
    cmake_parse_arguments(ARG "" "NAMESPACE" "PARTS" ${ARGN})
    set(includes "")
    set(lines "")
    foreach(part IN LISTS ARG_PARTS)
        string(TOLOWER "${part}" member)
        string(APPEND includes "#include <${NAME}${part}.h>\n")
        string(APPEND lines "    about.${member} = ${member}();\n")
    endforeach()
    string(CONCAT text "// Written by supplierd_embed_description(); do not edit.\n" "#pragma once\n\n"
        "#include <supplierd/Plugin.h>\n\n" "${includes}\n" "namespace ${ARG_NAMESPACE} {\n\n"
        "inline supplierd::PluginDescription description() {\n" "    supplierd::PluginDescription about;\n" "${lines}"
        "    return about;\n" "}\n\n" "} // namespace ${ARG_NAMESPACE}\n")
    supplierd_write_generated(${TARGET} ${NAME}Description.h "${text}")
endfunction()

# supplierd_embed_assets(<target> HEADER <name>.h NAMESPACE <namespace> FOLDER web FILES index.html css/site.css ...)
# Puts files into the target, and gives it a header with `std::span<const supplierd::EmbeddedAsset> <namespace>::assets()`
# for supplierd::Assets. Their paths are those below the folder; FILES is relative to it. Their ETags are those of their
# bytes when the build was configured, which a changed file does anew.
function(supplierd_embed_assets TARGET)
    cmake_parse_arguments(ARG "" "HEADER;NAMESPACE;FOLDER" "FILES" ${ARGN})
    get_filename_component(folder "${ARG_FOLDER}" ABSOLUTE)
    set(externs "")
    set(entries "")
    set(code "")
    set(paths "")
    set(number 0)
    foreach(file IN LISTS ARG_FILES)
        set(path "${folder}/${file}")
        list(APPEND paths "${path}")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
        file(SHA256 "${path}" hash)
        string(SUBSTRING "${hash}" 0 32 hash)
        set(symbol "${ARG_NAMESPACE}_${number}")
        string(APPEND externs "extern \"C\" __attribute__((visibility(\"hidden\"))) const char ${symbol}_begin[];\n"
            "extern \"C\" __attribute__((visibility(\"hidden\"))) const char ${symbol}_end[];\n")
        string(APPEND entries "        {\"${file}\", \"\\\"${hash}\\\"\",\n"
            "         {${symbol}_begin, static_cast<std::size_t>(${symbol}_end - ${symbol}_begin)}},\n")
        string(APPEND code "    \".global ${symbol}_begin\\n.hidden ${symbol}_begin\\n${symbol}_begin:\\n\"\n"
            "    \".incbin \\\"${path}\\\"\\n\"\n"
            "    \".global ${symbol}_end\\n.hidden ${symbol}_end\\n${symbol}_end:\\n.byte 0\\n\"\n")
        math(EXPR number "${number} + 1")
    endforeach()

    string(CONCAT header "// Written by supplierd_embed_assets(); do not edit.\n" "#pragma once\n\n"
        "#include <supplierd/Assets.h>\n\n" "#include <span>\n\n" "namespace ${ARG_NAMESPACE} {\n\n"
        "std::span<const supplierd::EmbeddedAsset> assets();\n\n" "} // namespace ${ARG_NAMESPACE}\n")
    supplierd_write_generated(${TARGET} ${ARG_HEADER} "${header}")
    string(CONCAT source "// Written by supplierd_embed_assets(); do not edit.\n" "#include <${ARG_HEADER}>\n\n"
        "#include <array>\n#include <cstddef>\n\n" "${externs}\n"
        "__asm__(\".pushsection .rodata\\n\"\n${code}    \".popsection\\n\");\n\n"
        "namespace ${ARG_NAMESPACE} {\n\n" "std::span<const supplierd::EmbeddedAsset> assets() {\n"
        "    static const std::array<supplierd::EmbeddedAsset, ${number}> ASSETS = {{\n${entries}    }};\n"
        "    return ASSETS;\n}\n\n" "} // namespace ${ARG_NAMESPACE}\n")
    get_filename_component(stem "${ARG_HEADER}" NAME_WE)
    supplierd_write_generated(${TARGET} ${stem}.cpp "${source}")
    set(source "${CMAKE_CURRENT_BINARY_DIR}/generated/${stem}.cpp")
    # One compiler run of its own, anew whenever a file changes, which the compiler itself does not notice.
    set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${paths}" SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${TARGET} PRIVATE "${source}")
endfunction()

# supplierd_add_plugin(<name> VERSION <version> SOURCES <file>... [MIGRATIONS migrations/0001_first.sql...]
#                      [OPENAPI openapi.json] [CONF conf/<name>.toml...] [LIBRARIES <target>...] [NEEDS_MINOR <minor>]
#                      [NEEDS "catalog >= 1.2"...])
#
# Builds <name>.so, which exports one symbol. Sources see SUPPLIERD_PLUGIN_ID and SUPPLIERD_PLUGIN_VERSION as strings, and
# a header "<name>Description.h" with supplierd_<name>_generated::description(), which has the migrations, the OpenAPI
# document and the needs that are named here. Each also has a header of its own: "<name>Migrations.h" with migrations(),
# "<name>OpenApi.h" with openapi(), "<name>Needs.h" with needs().
# NEEDS_MINOR: the plugin runs on hosts of this minor of the SDK's ABI and later ones, though it was built with a later
# one; it promises to use what is newer only where Host::abiMinor() says that it is there.
# NEEDS: plugins that this one cannot do without, with the least version if it matters, and ids of services. They stand in
# an ELF note, from which dh_supplierd_plugin makes dependencies of the package, and in the description.
# The target <name>-objects holds the same objects for tests that link the plugin instead of loading it.
function(supplierd_add_plugin NAME)
    cmake_parse_arguments(ARG "" "VERSION;OPENAPI;NEEDS_MINOR" "SOURCES;MIGRATIONS;CONF;LIBRARIES;NEEDS" ${ARGN})
    if(ARG_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "supplierd_add_plugin(${NAME}): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT ARG_SOURCES OR NOT ARG_VERSION)
        message(FATAL_ERROR "supplierd_add_plugin(${NAME}): VERSION and SOURCES are needed")
    endif()
    string(LENGTH "${NAME}" length)
    if(NOT NAME MATCHES "^[a-z0-9-]+$" OR length GREATER 32)
        message(FATAL_ERROR "supplierd_add_plugin(${NAME}): a plugin's name is 1 to 32 of a-z, 0-9 and -")
    endif()
    include(GNUInstallDirs)

    add_library(${NAME}-objects OBJECT ${ARG_SOURCES})
    set_target_properties(${NAME}-objects PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
        VISIBILITY_INLINES_HIDDEN ON)
    target_link_libraries(${NAME}-objects PUBLIC Supplierd::Sdk ${ARG_LIBRARIES})
    target_compile_definitions(${NAME}-objects PRIVATE SUPPLIERD_PLUGIN_ID="${NAME}"
        SUPPLIERD_PLUGIN_VERSION="${ARG_VERSION}")
    if(DEFINED ARG_NEEDS_MINOR)
        target_compile_definitions(${NAME}-objects PRIVATE SUPPLIERD_NOTE_NEEDS_MINOR=${ARG_NEEDS_MINOR})
    endif()
    string(MAKE_C_IDENTIFIER "${NAME}" identifier)
    set(parts "")
    if(ARG_NEEDS)
        supplierd_embed_needs(${NAME}-objects ${NAME} NAMESPACE supplierd_${identifier}_generated NEEDS ${ARG_NEEDS})
        list(APPEND parts Needs)
    endif()
    if(ARG_OPENAPI)
        supplierd_embed_openapi(${NAME}-objects HEADER ${NAME}OpenApi.h NAMESPACE supplierd_${identifier}_generated
            FILE ${ARG_OPENAPI})
        list(APPEND parts OpenApi)
    endif()
    if(ARG_MIGRATIONS)
        supplierd_embed_migrations(${NAME}-objects HEADER ${NAME}Migrations.h
            NAMESPACE supplierd_${identifier}_generated FILES ${ARG_MIGRATIONS})
        list(APPEND parts Migrations)
    endif()
    supplierd_embed_description(${NAME}-objects ${NAME} NAMESPACE supplierd_${identifier}_generated PARTS ${parts})

    set(map "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin.map")
    add_library(${NAME} MODULE)
    target_link_libraries(${NAME} PRIVATE ${NAME}-objects)
    # It needs no library that it does not use: what the SDK could need ties it to one release of Debian.
    target_link_options(${NAME} PRIVATE "LINKER:--as-needed" "LINKER:--version-script=${map}" "LINKER:-z,defs")
    set_target_properties(${NAME} PROPERTIES PREFIX "" SUFFIX ".so" LINKER_LANGUAGE CXX LINK_DEPENDS "${map}")

    get_target_property(installed Supplierd::Sdk IMPORTED)
    if(NOT installed)
        target_link_libraries(${NAME}-objects PRIVATE supplierd-flags)
        target_link_libraries(${NAME} PRIVATE supplierd-flags)
        set_target_properties(${NAME} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/plugins")
    endif()

    install(TARGETS ${NAME} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/supplierd/plugins")
    if(ARG_CONF)
        supplierd_install_configuration("${CMAKE_INSTALL_FULL_SYSCONFDIR}/supplierd/plugins-available" ${ARG_CONF})
    endif()
endfunction()
