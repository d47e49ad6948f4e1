# Writes the header host/ctl/plugin/PluginTemplate.h with the files of sdk/template, from which `supplierctl plugin new` makes
# projects.
set(template_dir ${PROJECT_SOURCE_DIR}/sdk/template)
file(GLOB_RECURSE template_files RELATIVE ${template_dir} CONFIGURE_DEPENDS ${template_dir}/*)
set(template_entries "")
foreach(file IN LISTS template_files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${template_dir}/${file})
    file(READ ${template_dir}/${file} text)
    string(APPEND template_entries "    TemplateFile{\"${file}\", R\"template(${text})template\"},\n")
endforeach()
list(LENGTH template_files template_count)
string(CONCAT text "// Written by host/ctl/plugin/PluginTemplate.cmake from sdk/template; do not edit.\n" "#pragma once\n\n"
    "#include <array>\n#include <string_view>\n\n" "namespace supplierd::host {\n\n"
    "struct TemplateFile {\n    std::string_view path;\n    std::string_view text;\n};\n\n"
    "inline constexpr std::array<TemplateFile, ${template_count}> PLUGIN_TEMPLATE{{\n${template_entries}}};\n\n"
    "/// The text of the file with this path, \"\" when there is none.\n"
    "constexpr std::string_view templateFile(std::string_view path) {\n"
    "    for (const TemplateFile& file : PLUGIN_TEMPLATE)\n        if (file.path == path)\n"
    "            return file.text;\n    return {};\n}\n\n" "} // namespace supplierd::host\n")
set(template_header ${PROJECT_BINARY_DIR}/host/include/host/ctl/plugin/PluginTemplate.h)
set(old "")
if(EXISTS ${template_header})
    file(READ ${template_header} old)
endif()
if(NOT old STREQUAL text)
    file(WRITE ${template_header} "${text}")
endif()
