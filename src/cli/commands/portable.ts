import { type Command, InvalidArgumentError } from 'commander'
import type { ClientConfig } from '../../config.ts'
import {
  type ExportLine,
  failureAt,
  type Part,
  readBatches,
  sizeOf,
  writeLines,
} from '../line-batches.ts'
import { printResult } from '../output.ts'
import { countingBar, progressBar } from '../progress.ts'
import { type AskOperator, asOperator, type OperatorOptions, operatorCaller } from './operator.ts'

/** In the order of import: a channel before its followers and members. */
const PARTS: readonly Part[] = [
  { kinds: ['channel', 'follow', 'standing'], path: '/platform/channels' },
  { kinds: ['block'], path: '/platform/blocks' },
]

/** Adds platform export and import: channels with followers and roles, and blocks, as lines of JSON. */
export function addPortableCommands(program: Command, config: ClientConfig): void {
  const ask = operatorCaller(config)
  const platform = program
    .command('platform')
    .description(
      'Export and import channels and blocks, for the operator. Sends ROOKERY_OPS_TOKEN.',
    )
    .addHelpText('after', '\nExample:\n  rookery platform export platform.jsonl')

  asOperator(platform.command('export'), config)
    .summary('export channels, their followers and roles, and blocks to a file')
    .argument('<file>', 'file to write: one JSON object per line')
    .addHelpText('after', '\nExample:\n  rookery platform export platform.jsonl')
    .action((file: string, options: ExportOptions) => exportTo(ask, options, file))
  asOperator(platform.command('import'), config)
    .summary('import a file that another server exported')
    .description('Records that exist already are skipped, so an import may be repeated.')
    .argument('<file>', 'file to read')
    .option('--from <line>', 'start at this line', lineArgument, 1)
    .addHelpText('after', '\nExample:\n  rookery platform import platform.jsonl')
    .action((file: string, options: ImportOptions) => importFrom(ask, options, file))
}

type ExportOptions = OperatorOptions & { json?: true }
type ImportOptions = ExportOptions & { from: number }

async function exportTo(ask: AskOperator, options: ExportOptions, file: string): Promise<void> {
  const bar = countingBar('lines')
  const lines = exportedLines(ask, options)
  const count = await writeLines(file, lines, bar.update).finally(bar.stop)
  printResult(options, { file, lines: count }, `${count} lines are in ${file}`)
}

async function* exportedLines(
  ask: AskOperator,
  options: OperatorOptions,
): AsyncGenerator<ExportLine> {
  for (const { path } of PARTS) {
    let cursor: string | undefined
    do {
      const after = cursor === undefined ? '' : `?cursor=${cursor}`
      const page = await ask(options, { path: `${path}/export${after}` })
      yield* page.result.lines
      cursor = page.next?.cursor
    } while (cursor !== undefined)
  }
}

async function importFrom(ask: AskOperator, options: ImportOptions, file: string): Promise<void> {
  const bar = progressBar('Importing bytes', sizeOf(file))
  const added = new Map<string, number>()
  let lines = 0
  try {
    for await (const batch of readBatches(file, PARTS, options.from)) {
      const body = { lines: batch.lines }
      const call = { method: 'POST', path: `${batch.part.path}/import`, body }
      const { result } = await ask(options, call).catch((error) => {
        throw failureAt(file, batch, error)
      })
      for (const [what, count] of Object.entries<number>(result)) {
        added.set(what, (added.get(what) ?? 0) + count)
      }
      lines += batch.lines.length
      bar.update(batch.bytes)
    }
  } finally {
    bar.stop()
  }
  const summary = [...added].map(([what, count]) => `${count} ${what}`).join(', ')
  const text = `${lines} lines are imported; new: ${summary || 'none'}`
  printResult(options, { lines, added: Object.fromEntries(added) }, text)
}

function lineArgument(text: string): number {
  const line = Number(text)
  if (/^\d+$/.test(text) && line >= 1 && Number.isSafeInteger(line)) return line
  throw new InvalidArgumentError('A line number is a whole number from 1.')
}
