/* fuzz_driver.c: runs a fuzz target without a fuzzer: every seed, then seeds changed at random, the
 * same way each time, for some seconds. usage: fuzz_driver SECONDS FOLDER... */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_SEEDS 200
#define MOST_BYTES 8192

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct seed {
    size_t size;
    uint8_t data[MOST_BYTES];
} seed;

static seed *seeds;
static int seed_count;
static uint64_t state = 1;

static size_t random_below(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n ? (size_t)(state >> 33) % n : 0;
}

static void load(const char *folder)
{
    DIR *list = opendir(folder);
    char path[4096];

    if (!seeds) seeds = calloc(MOST_SEEDS, sizeof *seeds);
    for (struct dirent *entry;
         list && seeds && (entry = readdir(list)) && seed_count < MOST_SEEDS;) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!file) continue;
        seeds[seed_count].size = fread(seeds[seed_count].data, 1, MOST_BYTES, file);
        seed_count++;
        fclose(file);
    }
    if (list) closedir(list);
}

/* One change: a byte, a word that is often special, a part removed, doubled, or of another seed. */
static size_t change(uint8_t *data, size_t size)
{
    static const char *const words[] = {"-1",
                                        "0",
                                        "2147483647",
                                        "2147483648",
                                        "nan",
                                        "1e999",
                                        "\n",
                                        "%",
                                        "1",
                                        " ",
                                        "9999999999999999999999",
                                        ".",
                                        "e",
                                        "symmetric"};
    const size_t at = random_below(size + 1), length = random_below(size - at + 1) % 64;
    const char *word = words[random_below(sizeof words / sizeof *words)];
    const seed *other = &seeds[random_below((size_t)seed_count)];

    switch (random_below(6)) {
    case 0:
        if (at < size) data[at] = (uint8_t)random_below(256);
        return size;
    case 1:
        if (at < size) data[at] ^= (uint8_t)(1u << random_below(8));
        return size;
    case 2:
        if (size + strlen(word) > MOST_BYTES) return size;
        memmove(data + at + strlen(word), data + at, size - at);
        memcpy(data + at, word, strlen(word));
        return size + strlen(word);
    case 3: memmove(data + at, data + at + length, size - at - length); return size - length;
    case 4:
        if (size + length > MOST_BYTES) return size;
        memmove(data + at + length, data + at, size - at);
        return size + length;
    default:
        if (at >= other->size) return size;
        memcpy(data + at, other->data + at, other->size - at);
        return other->size;
    }
}

/* In a block of just that size, so that reading behind it is seen. */
static void run(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);

    if (!copy) exit(1);
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

int main(int count, char **argument)
{
    const time_t end = time(NULL) + (count > 1 ? atoi(argument[1]) : 0);
    uint8_t data[MOST_BYTES];
    long runs = 0;

    if (count < 3) load(".");
    for (int k = 2; k < count; k++) load(argument[k]);
    if (seed_count == 0) return 1;
    for (int k = 0; k < seed_count; k++) run(seeds[k].data, seeds[k].size);
    for (; time(NULL) < end; runs++) {
        const seed *from = &seeds[random_below((size_t)seed_count)];
        size_t size = from->size;
        memcpy(data, from->data, size);
        for (size_t changes = 1 + random_below(4); changes > 0; changes--)
            size = change(data, size);
        run(data, size);
    }
    printf("%d seeds, %ld changed\n", seed_count, runs);
    free(seeds);
    return 0;
}
