/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the system that every confined program sees. */
#include "sandbox/private.h"

const char *const bl_system_folders[] = {
	"/usr",   "/bin", "/sbin",      "/lib",       "/lib64",
	"/lib32", "/opt", "/nix/store", "/gnu/store", NULL,
};

/* No /etc as a whole: root owns the secrets in there. */
const char *const bl_system_files[] = {
	"/etc/alternatives",  "/etc/ld.so.cache",
	"/etc/localtime",     "/etc/passwd",
	"/etc/group",         "/etc/nsswitch.conf",
	"/etc/ssl/certs",     "/etc/ssl/openssl.cnf",
	"/etc/pki/tls/certs", NULL,
};

const char *const bl_network_files[] = {
	"/etc/hosts",
	"/etc/resolv.conf",
	"/etc/services",
	NULL,
};

const char *const bl_system_devices[] = {
	"/dev/null",   "/dev/zero",    "/dev/full",
	"/dev/random", "/dev/urandom", NULL,
};

bool bl_sandbox_is_of_system(struct bl_str path)
{
	for (size_t i = 0; bl_system_folders[i]; i++) {
		if (bl_path_is_in(path, bl_str(bl_system_folders[i])))
			return true;
	}
	return false;
}
