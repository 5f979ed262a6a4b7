/*
 * The least that any program must do to sample: open, read and close each file of a list.
 *
 *     open_read_close LIST REPETITIONS
 *
 * LIST has one path per line.  For each repetition one line is printed: the microseconds of
 * processor time, user and system, that it took.  Nothing is parsed and nothing is kept.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static long spent(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000L +
	       usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

int main(int argc, char **argv)
{
	static char buffer[65536];
	char **paths = NULL;
	size_t count = 0;
	FILE *list;

	if (argc != 3 || !(list = fopen(argv[1], "r")))
		return 2;
	while (fgets(buffer, sizeof(buffer), list)) {
		buffer[strcspn(buffer, "\n")] = '\0';
		paths = realloc(paths, (count + 1) * sizeof(*paths));
		if (!paths || !(paths[count++] = strdup(buffer)))
			return 2;
	}
	for (int left = atoi(argv[2]); left > 0; left--) {
		long before = spent();

		for (size_t i = 0; i < count; i++) {
			int file = open(paths[i], O_RDONLY | O_CLOEXEC);
			ssize_t got;

			if (file < 0)
				return 1;
			do
				got = read(file, buffer, sizeof(buffer));
			while (got == sizeof(buffer));
			close(file);
			if (got < 0)
				return 1;
		}
		printf("%ld\n", spent() - before);
	}
	return 0;
}
