import { type Command, InvalidArgumentError } from 'commander'
import type { ClientConfig } from '../config.ts'
import { type AskOperator, asOperator, type OperatorOptions, operatorCaller } from './operator.ts'
import { print } from './output.ts'
import { failureAt, type Line, type Part, readPortions, sizeOf, writeLines } from './portions.ts'
import { countingBar, progressBar } from './progress.ts'

/** What moves: a channel before what is about it. */
const PARTS: readonly Part[] = [
  { kinds: ['channel', 'follow', 'standing'], path: '/platform/channels' },
  { kinds: ['block'], path: '/platform/blocks' },
]

/** platform export and import: channels with their followers and roles, and blocks, as lines of JSON. */
export function addPortableCommands(program: Command, config: ClientConfig): void {
  const ask = operatorCaller(config)
  const platform = program
    .command('platform')
    .description('Channels and blocks in files, for the operator. ROOKERY_OPS_TOKEN is sent.')
    .addHelpText('after', '\nExample:\n  rookery platform export platform.jsonl')

  asOperator(platform.command('export'), config)
    .summary('write channels, their followers and roles, and blocks to a file')
    .argument('<file>', 'to which file: one JSON object a line')
    .addHelpText('after', '\nExample:\n  rookery platform export platform.jsonl')
    .action((file: string, options: OperatorOptions) => exportTo(ask, options, file))
  asOperator(platform.command('import'), config)
    .summary('bring in what another server exported')
    .description('What is here already is not doubled, so that an import may be repeated.')
    .argument('<file>', 'from which file')
    .option('--from <line>', 'begin with this line', lineArgument, 1)
    .addHelpText('after', '\nExample:\n  rookery platform import platform.jsonl')
    .action((file: string, options: ImportOptions) => importFrom(ask, options, file))
}

type ImportOptions = OperatorOptions & { from: number }

async function exportTo(ask: AskOperator, options: OperatorOptions, file: string): Promise<void> {
  const bar = countingBar('lines')
  const lines = exportedLines(ask, options)
  const count = await writeLines(file, lines, bar.update).finally(bar.stop)
  print(`${count} lines are in ${file}`)
}

async function* exportedLines(ask: AskOperator, options: OperatorOptions): AsyncGenerator<Line> {
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
  const bar = progressBar(sizeOf(file), 'import')
  const added = new Map<string, number>()
  let lines = 0
  try {
    for await (const portion of readPortions(file, PARTS, options.from)) {
      const body = { lines: portion.lines }
      const call = { method: 'POST', path: `${portion.part.path}/import`, body }
      const { result } = await ask(options, call).catch((error) => {
        throw failureAt(file, portion, error)
      })
      for (const [what, count] of Object.entries<number>(result)) {
        added.set(what, (added.get(what) ?? 0) + count)
      }
      lines += portion.lines.length
      bar.update(portion.bytes)
    }
  } finally {
    bar.stop()
  }
  const summary = [...added].map(([what, count]) => `${count} ${what}`).join(', ')
  print(`${lines} lines are taken; new are ${summary || 'none'}`)
}

function lineArgument(text: string): number {
  const line = Number(text)
  if (/^\d+$/.test(text) && line >= 1 && Number.isSafeInteger(line)) return line
  throw new InvalidArgumentError('A line is a whole number from 1.')
}
