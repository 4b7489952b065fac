// Writes every generated file of the repository: today the wire codec from proto/.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
execFileSync('node_modules/.bin/buf', ['generate'], { cwd: root, stdio: 'inherit' })
