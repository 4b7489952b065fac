// Loaded in every process of a run and in its threads: a thread runs the file of the bundled program, which is loaded in half
// the time of its sources.

import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { isMainThread } from 'node:worker_threads'

const { TEST_PROGRAM } = process.env
/** The first file of a thread of the program. */
const SCRIPT = /\/src\/.*\/([\w-]+-thread)\.ts$/

if (!isMainThread && TEST_PROGRAM) {
  registerHooks({
    resolve(specifier, context, next) {
      const name = context.parentURL === undefined && SCRIPT.exec(specifier)?.[1]
      return next(
        name ? new URL(`${name}.js`, pathToFileURL(TEST_PROGRAM)).href : specifier,
        context,
      )
    },
  })
}
