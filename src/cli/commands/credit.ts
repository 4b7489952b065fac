import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { fidArgument, wholeNumber } from '../arguments.ts'
import { oneLine, print, printJson, printResult, timeText } from '../output.ts'
import { asOperator, type OperatorOptions, operatorCalls } from './operator.ts'

const REASON_CHARACTERS = 60
const MAX_AMOUNT = 1_000_000_000

type CreditOptions = OperatorOptions & { reason: string }

/** Adds credit, for the credits with which sponsors pay for signed key requests. */
export function addCreditCommand(program: Command, config: ClientConfig): void {
  asOperator(program.command('credit'), config)
    .summary('add credits of a sponsor of signed key requests, or print them (operator)')
    .description('Without an amount, prints the balance and its history. Sends ROOKERY_OPS_TOKEN.')
    .argument('<fid>', 'fid of the sponsor', fidArgument)
    .argument(
      '[amount]',
      'credits to add; a negative number removes credits',
      wholeNumber(-MAX_AMOUNT, MAX_AMOUNT),
    )
    .option('--reason <text>', 'reason, which the history shows', 'by the operator')
    .addHelpText('after', '\nExample:\n  rookery credit 7 1000 --reason "for our friends"')
    .action(async (fid: number, amount: number | undefined, options: CreditOptions) => {
      const calls = operatorCalls(options, config)
      if (amount !== undefined) {
        const body = { fid, amount, reason: options.reason }
        const { result } = await calls.ask('POST /platform/credits', body)
        return printResult(options, result.credit, balanceLine(result.credit))
      }
      let isFirst = true
      for await (const { result } of calls.pages('GET /platform/credits', { fid })) {
        const lines = result.entries.map(entryLine)
        if (isFirst) lines.unshift(balanceLine(result.credit))
        if (options.json) printJson(result)
        else lines.forEach(print)
        isFirst = false
      }
    })
}

const balanceLine = ({ fid, balance, reserved }: Record<'fid' | 'balance' | 'reserved', number>) =>
  `fid ${fid} has ${balance} credits${reserved === 0 ? '' : `, ${reserved} of them reserved`}`

type Entry = { readonly amount: number; readonly reason: string; readonly createdAt: number }

const entryLine = ({ amount, reason, createdAt }: Entry): string =>
  `${timeText(createdAt)} ${amount > 0 ? '+' : ''}${amount} ${oneLine(reason, REASON_CHARACTERS)}`
