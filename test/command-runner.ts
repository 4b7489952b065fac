// Runs commands of `rookery` one after the other in one process, for files that run many of them: a process
// of its own for each costs a quarter of a second. Started by `startCommands` of program.ts.

import { describeFailure } from '../src/cli/failure.ts'
import { argumentsOf } from '../src/cli/invocation.ts'
import { note } from '../src/cli/output.ts'
import { createProgram } from '../src/cli/program.ts'
import type { Env, Finished } from './program.ts'

export type Run = { readonly env: Env; readonly args: readonly string[] }

process.on('message', async (run: Run) => process.send!(await finished(run)))

/** As main.ts does it. */
async function finished({ env, args: typed }: Run): Promise<Finished> {
  const args = argumentsOf(typed)
  const output = { stdout: '', stderr: '' }
  const writes = { stdout: process.stdout.write, stderr: process.stderr.write }
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (text: string | Uint8Array) => {
      output[name] += typeof text === 'string' ? text : Buffer.from(text).toString()
      return true
    }
  }
  process.exitCode = 0
  try {
    const program = await createProgram(env, args)
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    const { text, exitCode } = describeFailure(error)
    if (text !== undefined) note(text)
    process.exitCode = exitCode
  }
  process.stdout.write = writes.stdout
  process.stderr.write = writes.stderr
  return { code: Number(process.exitCode), ...output }
}
