import { describeFailure } from './cli/failure.ts'
import { exitWhenNobodyReads, note } from './cli/output.ts'
import { createProgram } from './cli/program.ts'

exitWhenNobodyReads()
try {
  await createProgram(process.env).parseAsync()
} catch (error) {
  const { text, exitCode } = describeFailure(error)
  if (text !== undefined) note(text)
  process.exitCode = exitCode
}
