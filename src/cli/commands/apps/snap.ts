import type { Command } from 'commander'
import type { ClientConfig } from '../../../config.ts'
import { fidArgument } from '../../arguments.ts'
import { group } from '../../call-command.ts'
import { postJson, Refused } from '../../client.ts'
import { EXIT_FAILED, Failure } from '../../failure.ts'
import { oneLine, printResult } from '../../output.ts'
import { at } from '../network.ts'
import { asOperator, type OperatorOptions } from '../operator.ts'

const FAULT_CHARACTERS = 300

type Report = {
  readonly url: string
  readonly isReady: boolean
  readonly faults: readonly {
    readonly severity: 'error' | 'warning'
    readonly rule: string
    readonly url: string
    readonly path?: string
    readonly message: string
    readonly fix: string
  }[]
}
type Options = OperatorOptions & { readonly pressAs?: number }

function addCheck(parent: Command, config: ClientConfig): void {
  asOperator(parent.command('check'), config)
    .summary('say what is wrong about the server of a snap, and how to mend it')
    .description(
      'Asks a development network, which reads the snap as clients do. Each fault is told with the rule that it breaks, its place in\n' +
        'the answer and its mend. With --press-as the first button is pressed, rightly once and in four ways that a server has to\n' +
        'refuse. Ends with 1 when there is an error.',
    )
    .argument('<url>', 'the address of the snap')
    .option('--press-as <fid>', 'press as this account of the network', fidArgument)
    .addHelpText('after', '\nExample:\n  rookery snap check http://localhost:3003 --press-as 2')
    .action(async (url: string, { pressAs, ...options }: Options) => {
      const input = { url, ...(pressAs !== undefined && { pressAs }) }
      const report = await reportOf(options.operations, input)
      printResult(options, report, linesOf(report))
      if (!report.isReady) process.exitCode = EXIT_FAILED
    })
}

async function reportOf(operations: string, input: object): Promise<Report> {
  try {
    return await postJson(at(operations, '/dev/snap-report'), input)
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 404) throw error
    throw new Failure(`${operations} is no development network. Try: rookery start`)
  }
}

function linesOf({ url, faults }: Report): string {
  if (faults.length === 0) return `${url} has no faults`
  const lines = faults.map(({ severity, rule, url: asked, path, message, fix }) => {
    const what = [path, message].filter(Boolean).join(' ')
    const where = asked === url ? '' : ` (${asked})`
    return `${severity}, ${rule}: ${oneLine(what + where, FAULT_CHARACTERS)}\n  ${oneLine(fix, FAULT_CHARACTERS)}`
  })
  return lines.join('\n')
}

export const addSnapCommands = group(
  'snap',
  'Snaps, which are cards in casts that a server describes.',
  'check http://localhost:3003',
  [addCheck],
)
