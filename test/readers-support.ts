// Programs of analysts, installed by pip.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from './program.ts'

/** The Python of a folder with what a list of test/readers names. */
export function installReaders(place: string, list = 'requirements.txt'): string {
  const folder = join(place, `python-${list}`)
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  run('python3', '-m', 'venv', folder)
  const python = join(folder, 'bin/python')
  run(python, '-m', 'pip', 'install', '--quiet', '-r', join(ROOT, 'test/readers', list))
  return python
}
