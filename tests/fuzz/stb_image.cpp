// stb_image's own code, so that it is instrumented; the program links Debian's library.
#define STB_IMAGE_IMPLEMENTATION
#define STBI_NO_STDIO
#include <stb_image.h>
