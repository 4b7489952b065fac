// All static checks: types, lint and format. The import rule and the freshness of generated files are tests
// (test/structure.test.ts), and so is the lint of the OpenAPI documents (test/openapi.test.ts).
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
// More checkers share little of their work, which costs more on few processors than it gains.
const TYPES = ['node_modules/.bin/tsc', '--checkers', '1', '--project'] as const
const steps: [string, ...string[]][] = [
  [...TYPES, 'tsconfig.json'],
  [...TYPES, 'web/tsconfig.json'],
  ['node_modules/.bin/biome', 'check', '--error-on-warnings'],
]
// The compiler keeps nearly all that it makes: collecting garbage takes a quarter of its time and frees little.
const env = { ...process.env, GOGC: 'off' }
for (const [command, ...args] of steps) {
  const { status } = spawnSync(command, args, { cwd: root, env, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
