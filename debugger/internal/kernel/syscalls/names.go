package syscalls

import "sync"

// Name returns the name of a call, or "" if there is none with that number.
func Name(number uint64) string {
	if name := rows[number].name; name != "" {
		return name
	}
	return names[number]
}

// Number returns the number of the call with a name.
func Number(name string) (uint64, bool) {
	n, ok := numbers()[name]
	return n, ok
}

var numbers = sync.OnceValue(func() map[string]uint64 {
	all := make(map[string]uint64, len(rows)+len(names))
	for n, name := range names {
		all[name] = n
	}
	for n := range rows {
		all[rows[n].name] = n
	}
	return all
})

// names has the names of the calls that have no row
// (arch/x86/entry/syscalls/syscall_64.tbl).
var names = map[uint64]string{
	31: "shmctl", 66: "semctl", 67: "shmdt", 71: "msgctl", 101: "ptrace", 134: "uselib",
	136: "ustat", 139: "sysfs", 153: "vhangup", 154: "modify_ldt", 155: "pivot_root", 156: "_sysctl",
	159: "adjtimex", 163: "acct", 164: "settimeofday", 165: "mount", 166: "umount2", 167: "swapon",
	168: "swapoff", 169: "reboot", 171: "setdomainname", 172: "iopl", 173: "ioperm", 174: "create_module",
	175: "init_module", 176: "delete_module", 177: "get_kernel_syms", 178: "query_module", 179: "quotactl",
	180: "nfsservctl", 181: "getpmsg", 182: "putpmsg", 183: "afs_syscall", 184: "tuxcall", 185: "security",
	205: "set_thread_area", 206: "io_setup", 207: "io_destroy", 208: "io_getevents", 209: "io_submit",
	210: "io_cancel", 211: "get_thread_area", 212: "lookup_dcookie", 214: "epoll_ctl_old", 215: "epoll_wait_old",
	216: "remap_file_pages", 227: "clock_settime", 236: "vserver", 239: "get_mempolicy", 244: "mq_notify",
	246: "kexec_load", 248: "add_key", 249: "request_key", 250: "keyctl", 256: "migrate_pages", 272: "unshare",
	279: "move_pages", 298: "perf_event_open", 300: "fanotify_init", 301: "fanotify_mark",
	303: "name_to_handle_at", 304: "open_by_handle_at", 311: "process_vm_writev", 313: "finit_module",
	317: "seccomp", 320: "kexec_file_load", 321: "bpf", 322: "execveat", 323: "userfaultfd", 333: "io_pgetevents",
	425: "io_uring_setup", 426: "io_uring_enter", 427: "io_uring_register", 428: "open_tree", 429: "move_mount",
	430: "fsopen", 431: "fsconfig", 432: "fsmount", 433: "fspick", 440: "process_madvise", 442: "mount_setattr",
	443: "quotactl_fd", 447: "memfd_secret", 448: "process_mrelease", 450: "set_mempolicy_home_node",
	453: "map_shadow_stack", 457: "statmount", 458: "listmount", 459: "lsm_get_self_attr",
	460: "lsm_set_self_attr", 461: "lsm_list_modules", 462: "mseal", 463: "setxattrat", 464: "getxattrat",
	465: "listxattrat", 466: "removexattrat", 467: "open_tree_attr",
}
