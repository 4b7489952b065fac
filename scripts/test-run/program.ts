// The program as the npm package has it, for the programs that tests start: a start from few files takes
// half of the processor time of a start from the sources.

import { globSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from '../bundle.ts'

/** What the bundle finds beside its directory. */
const BESIDE = ['node_modules', 'web', 'contracts', 'package.json']

/** Writes the program below a directory and returns the path of its main file. */
export async function bundleProgram(root: string, directory: string): Promise<string> {
  mkdirSync(directory)
  for (const name of BESIDE) symlinkSync(join(root, name), join(directory, name))
  await bundle(join(directory, 'dist'), globSync('**/*.ts', { cwd: join(root, 'src') }))
  return join(directory, 'dist', 'main.js')
}
