import { describeFailure } from './cli/failure.ts'
import { argumentsOf, invocationOf } from './cli/invocation.ts'
import { exitWhenNobodyReads, note, setInvocation } from './cli/output.ts'
import { createProgram } from './cli/program.ts'

const args = argumentsOf(process.argv.slice(2))
const asksForHelp = args.some((arg) => arg === '--help' || arg === '-h')
// A server without a terminal writes its log for a program that collects it.
const isLogged = args[0] === 'serve' && !asksForHelp && !process.stdout.isTTY
const log = isLogged ? (await import('./cli/json-log.ts')).logEverything() : undefined

exitWhenNobodyReads()
setInvocation(invocationOf(process.env))
try {
  const program = await createProgram(process.env, args)
  await program.parseAsync(args, { from: 'user' })
} catch (error) {
  const { text, exitCode } = describeFailure(error)
  if (text !== undefined) log?.fatal(text)
  if (text !== undefined && (!log || process.stderr.isTTY)) note(text)
  process.exitCode = exitCode
}
