import { describeFailure } from './cli/failure.ts'
import { invocationOf } from './cli/invocation.ts'
import { exitWhenNobodyReads, note, setInvocation } from './cli/output.ts'
import { createProgram } from './cli/program.ts'

exitWhenNobodyReads()
setInvocation(invocationOf(process.env))
try {
  const args = process.argv.slice(2)
  const program = await createProgram(process.env, args)
  await program.parseAsync(args, { from: 'user' })
} catch (error) {
  const { text, exitCode } = describeFailure(error)
  if (text !== undefined) note(text)
  process.exitCode = exitCode
}
