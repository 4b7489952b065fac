// Which files of a directory a build of an image gets, as Docker reads .dockerignore: the last pattern that matches a
// path or a directory above it decides.

const ESCAPED = /[.+^${}()|[\]\\]/g

/** Makes the test whether a path, relative to the directory of the file, is in the context of the build. */
export function contextOf(dockerignore: string): (path: string) => boolean {
  const rules = dockerignore
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({
      isIncluding: line.startsWith('!'),
      pattern: patternOf(line.replace('!', '')),
    }))
  return (path) =>
    rules.reduce(
      (isIn, { isIncluding, pattern }) => (pattern.test(path) ? isIncluding : isIn),
      true,
    )
}

function patternOf(glob: string): RegExp {
  const text = glob
    .replace(ESCAPED, '\\$&')
    .replaceAll('**/', '\0')
    .replaceAll('*', '[^/]*')
    .replaceAll('\0', '(?:.*/)?')
  return new RegExp(`^${text}(?:/|$)`)
}
