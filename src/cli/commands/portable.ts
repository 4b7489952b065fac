import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { wholeNumber } from '../arguments.ts'
import { group } from '../call-command.ts'
import type { Calls } from '../calls.ts'
import { type ExportLine, failureAt, readBatches, sizeOf, writeLines } from '../line-batches.ts'
import { printResult } from '../output.ts'
import { countingBar, progressBar } from '../progress.ts'
import { asOperator, type OperatorOptions, operatorCalls } from './operator.ts'

/** In the order of import: a channel before its followers and members. */
const PARTS = [
  {
    kinds: ['channel', 'follow', 'standing'],
    export: 'GET /platform/channels/export',
    import: 'POST /platform/channels/import',
  },
  {
    kinds: ['block'],
    export: 'GET /platform/blocks/export',
    import: 'POST /platform/blocks/import',
  },
  {
    kinds: ['starterPack', 'starterPackMember'],
    export: 'GET /platform/starter-packs/export',
    import: 'POST /platform/starter-packs/import',
  },
] as const

/** Channels with followers and roles, blocks, and starter packs, as lines of JSON. */
export const addPortableCommands = group(
  'platform',
  'Export and import channels, blocks and starter packs, for the operator. Sends ROOKERY_OPS_TOKEN.',
  'export platform.jsonl',
  [addExport, addImport],
)

function addExport(platform: Command, config: ClientConfig): void {
  asOperator(platform.command('export'), config)
    .summary('export channels, their followers and roles, blocks and starter packs to a file')
    .argument('<file>', 'file to write: one JSON object per line')
    .addHelpText('after', '\nExample:\n  rookery platform export platform.jsonl')
    .action((file: string, options: OperatorOptions) =>
      exportTo(operatorCalls(options, config), options, file),
    )
}

function addImport(platform: Command, config: ClientConfig): void {
  asOperator(platform.command('import'), config)
    .summary('import a file that another server exported')
    .description('Records that exist already are skipped, so an import may be repeated.')
    .argument('<file>', 'file to read')
    .option('--from <line>', 'start at this line', wholeNumber(1), 1)
    .addHelpText('after', '\nExample:\n  rookery platform import platform.jsonl')
    .action((file: string, options: ImportOptions) =>
      importFrom(operatorCalls(options, config), options, file),
    )
}

type Operations = Calls<'operations'>
type ImportOptions = OperatorOptions & { from: number }

async function exportTo(calls: Operations, options: OperatorOptions, file: string): Promise<void> {
  const bar = countingBar('lines')
  const lines = exportedLines(calls)
  const count = await writeLines(file, lines, bar.update).finally(bar.stop)
  printResult(options, { file, lines: count }, `${count} lines are in ${file}`)
}

async function* exportedLines(calls: Operations): AsyncGenerator<ExportLine> {
  for (const { export: call } of PARTS) {
    for await (const { result } of calls.pages(call)) yield* result.lines
  }
}

async function importFrom(calls: Operations, options: ImportOptions, file: string): Promise<void> {
  const bar = progressBar('Importing bytes', sizeOf(file))
  const added = new Map<string, number>()
  let lines = 0
  try {
    for await (const batch of readBatches(file, PARTS, options.from)) {
      const body = { lines: [...batch.lines] }
      const { result } = await calls.ask(batch.part.import, body).catch((error) => {
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
