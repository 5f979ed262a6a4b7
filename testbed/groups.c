/*
 * Processes in control groups that read a page of each of some disks when they are told.
 *
 *     groups DISKS DIRECTORY...
 *
 * Each process moves into the group of its directory and opens /dev/nullb0 and so on past the page cache.
 * A line with a number on standard input lets so many of them read; a line comes back when they have.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void serve(int go, int done, const char *group, int disks)
{
	static char page[4096] __attribute__((aligned(4096)));
	char path[4096], word;
	int files[256], procs;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	procs = open(path, O_WRONLY);
	if (procs < 0 || write(procs, "0", 1) != 1)
		exit(1);
	close(procs);
	for (int i = 0; i < disks; i++) {
		snprintf(path, sizeof(path), "/dev/nullb%d", i);
		files[i] = open(path, O_RDONLY | O_DIRECT);
		if (files[i] < 0)
			exit(1);
	}
	while (read(go, &word, 1) == 1) {
		for (int i = 0; i < disks; i++)
			if (pread(files[i], page, sizeof(page), 0) != sizeof(page))
				exit(1);
		if (write(done, "x", 1) != 1)
			exit(1);
	}
	exit(0);
}

int main(int argc, char **argv)
{
	int groups = argc - 2, disks = argc > 2 ? atoi(argv[1]) : 0, done[2], many;
	int *go = calloc(groups > 0 ? groups : 1, sizeof(int));
	char line[64], word;

	if (groups < 1 || disks < 1 || disks > 256 || !go || pipe(done))
		return 2;
	for (int i = 0; i < groups; i++) {
		int ends[2];

		if (pipe2(ends, O_CLOEXEC))
			return 1;
		if (fork() == 0) {
			for (int other = 0; other < i; other++)
				close(go[other]);
			close(ends[1]);
			serve(ends[0], done[1], argv[i + 2], disks);
		}
		close(ends[0]);
		go[i] = ends[1];
	}
	while (fgets(line, sizeof(line), stdin)) {
		many = atoi(line);
		for (int i = 0; i < many && i < groups; i++)
			if (write(go[i], "x", 1) != 1)
				return 1;
		for (int i = 0; i < many && i < groups; i++)
			if (read(done[0], &word, 1) != 1)
				return 1;
		printf("done\n");
		fflush(stdout);
	}
	return 0;
}
