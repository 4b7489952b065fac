// All static checks: types, lint and format. The import rule and the freshness of generated files are tests
// (test/structure.test.ts), and so is the lint of the OpenAPI documents (test/openapi.test.ts).
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const steps: [string, ...string[]][] = [
  // More checkers share little of their work, which costs more on few processors than it gains.
  ['node_modules/.bin/tsc', '--project', 'tsconfig.json', '--checkers', '1'],
  ['node_modules/.bin/tsc', '--project', 'web/tsconfig.json'],
  ['node_modules/.bin/biome', 'check', '--error-on-warnings'],
]
for (const [command, ...args] of steps) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
