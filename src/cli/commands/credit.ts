import { type Command, InvalidArgumentError } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { personArgument } from '../arguments.ts'
import { oneLine, print, printJson } from '../output.ts'
import { type AskOperator, asOperator, type OperatorOptions, operatorCaller } from './operator.ts'

const REASON_CHARACTERS = 60

type CreditOptions = OperatorOptions & { reason: string; json?: true }
/** As the operations interface gives them. */
type Credit = { fid: number; balance: number; reserved: number }
type Entry = { amount: number; reason: string; createdAt: number }

/** Adds credit, for the credits with which sponsors pay for signed key requests. */
export function addCreditCommand(program: Command, config: ClientConfig): void {
  const ask = operatorCaller(config)
  asOperator(program.command('credit'), config)
    .summary('add credits of a sponsor of signed key requests, or print them (operator)')
    .description('Without an amount, prints the balance and its history. Sends ROOKERY_OPS_TOKEN.')
    .argument('<fid>', 'fid of the sponsor', personArgument)
    .argument('[amount]', 'credits to add; a negative number removes credits', amountArgument)
    .option('--reason <text>', 'reason, which the history shows', 'by the operator')
    .option('--json', 'print the answer of the server as JSON')
    .addHelpText('after', '\nExample:\n  rookery credit 7 1000 --reason "for our friends"')
    .action((fid: number, amount: number | undefined, options: CreditOptions) =>
      amount === undefined ? printAll(ask, options, fid) : grant(ask, options, fid, amount),
    )
}

async function grant(ask: AskOperator, options: CreditOptions, fid: number, amount: number) {
  const body = { fid, amount, reason: options.reason }
  const { credit } = (await ask(options, { method: 'POST', path: '/platform/credits', body }))
    .result
  if (options.json) printJson(credit)
  else print(balanceLine(credit))
}

async function printAll(ask: AskOperator, options: CreditOptions, fid: number): Promise<void> {
  let cursor: string | undefined
  for (let isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const after = cursor === undefined ? '' : `&cursor=${cursor}`
    const page = await ask(options, { path: `/platform/credits?fid=${fid}${after}` })
    const { credit, entries }: { credit: Credit; entries: Entry[] } = page.result
    if (options.json) printJson(page.result)
    else {
      if (isFirst) print(balanceLine(credit))
      for (const entry of entries) print(entryLine(entry))
    }
    cursor = page.next?.cursor
  }
}

const balanceLine = ({ fid, balance, reserved }: Credit) =>
  `fid ${fid} has ${balance} credits${reserved === 0 ? '' : `, ${reserved} of them reserved`}`

function entryLine({ amount, reason, createdAt }: Entry): string {
  const when = new Date(createdAt * 1000).toISOString().replace('.000', '')
  return `${when} ${amount > 0 ? '+' : ''}${amount} ${oneLine(reason, REASON_CHARACTERS)}`
}

function amountArgument(text: string): number {
  const amount = Number(text)
  if (/^-?\d+$/.test(text) && amount !== 0 && Number.isSafeInteger(amount)) return amount
  throw new InvalidArgumentError('An amount is a whole number other than 0.')
}
