// The bundled program for tests and the bench. Its start takes half of the processor time of a start from the sources.

import { globSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { bundle, bundleBenchServer } from './bundle.ts'

/** Files that the bundle reads from the parent of its directory. */
const BESIDE = ['node_modules', 'web', 'contracts', 'package.json']

/** Writes the program below a directory and returns the path of its main file. */
export async function bundleProgram(root: string, directory: string): Promise<string> {
  linkBeside(root, directory)
  await bundle(join(directory, 'dist'), globSync('**/*.ts', { cwd: join(root, 'src') }))
  return join(directory, 'dist', 'main.js')
}

/** Writes the server that `npm run bench` measures below a directory and returns the path of its main file. */
export async function bundleBench(root: string, directory: string): Promise<string> {
  linkBeside(root, directory)
  await bundleBenchServer(join(directory, 'dist'))
  return join(directory, 'dist', 'server.js')
}

function linkBeside(root: string, directory: string): void {
  mkdirSync(directory)
  for (const name of BESIDE) symlinkSync(join(root, name), join(directory, name))
}
