// The command line of `npm run bench`.

import { Command, InvalidArgumentError, Option } from 'commander'

const ENGINES = ['sqlite', 'postgres'] as const
const PARTS = ['hub', 'grpc', 'registry', 'platform', 'chain', 'mirror'] as const

type BenchOptions = {
  readonly messages: number
  readonly stored?: number
  readonly engine: readonly string[]
  readonly part: readonly string[]
  readonly chain: number
  readonly people?: number
  readonly badges?: number
  readonly processes?: number
  readonly cluster?: true
  readonly app?: true
  readonly latency?: true
  readonly suites?: true
  readonly users: number
  readonly data?: string
  readonly rows?: readonly string[]
  readonly sources?: true
  readonly against?: string
  readonly rounds: number
  readonly profile?: true
  readonly plots?: true
  readonly json?: string
}

const DESCRIPTION =
  'Measures what the program does per second, beside what a bare node:http server and raw ' +
  'Ed25519 do in the same run, so that machines can be compared.'
const EXAMPLES = `
Examples:
  npm run bench -- --messages 20000 --engine sqlite --part hub
  npm run bench -- --part mirror                          a mirror of a hub on this machine
  npm run bench -- --part mirror --engine sqlite --messages 1000000 --people 100000
                                                          its memory at the size of its aim, for an hour or more
  npm run bench -- --stored 10000000 --messages 20000     the hub over a large store
  npm run bench -- --against DIR --messages 20000 --engine sqlite --part hub registry
                                                          this checkout and another one, in turn
  npm run bench -- --against DIR --stored 1000000 --messages 4000 --engine sqlite
                                                          the same over a large store
  npm run bench -- --app --messages 11000000 --data DIR   the app API over a large network
  npm run bench -- --latency --users 1000 --messages 100000
                                                          waiting times over a network of this size
  npm run bench -- --processes 2 --messages 20000         several processes on one PostgreSQL
  npm run bench -- --cluster --messages 20000             what standbys take over, and failovers
  npm run bench -- --plots --messages 20000               the plots of docs/performance.md
  npm run bench -- --badges 1000000                       one badge run over a million accounts`

/** Prints a help text for --help, and an error for options that do not exist or have a wrong value. */
export function readBenchOptions(argv: readonly string[]): BenchOptions {
  return new Command('npm run bench --')
    .description(DESCRIPTION)
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError('Add --help for the options.')
    .allowExcessArguments(false)
    .option('--messages <count>', 'messages that are submitted', parseCount, 100_000)
    .option('--stored <count>', 'only the hub, over so many messages', parseCount)
    .addOption(listOption('--engine <names...>', 'engines that are measured', ENGINES, ENGINES))
    .addOption(listOption('--part <names...>', 'what is measured', PARTS, PARTS))
    .option('--chain <count>', 'on-chain events of the part chain', parseCount, 200_000)
    .option(
      '--people <count>',
      'of the part mirror only this: so many people are read, of whom one has half of the messages',
      parseCount,
    )
    .option(
      '--sources',
      'the program from its sources, not joined into few files as the npm package has it',
    )
    .option('--badges <count>', 'only a badge run, over so many accounts', parseCount)
    .option('--processes <count>', 'only one to so many processes on one PostgreSQL', parseCount)
    .option('--cluster', 'only the cluster of docs/cluster.md, on Debian machines; needs root')
    .option('--app', 'only the app API, over a network of --users and --messages')
    .option('--latency', 'only what one client waits for, over a network of --users and --messages')
    .option('--suites', 'only 200 tests of an app in four workers, with and without reverts')
    .option('--users <count>', 'accounts of --app and --latency', parseCount, 100_000)
    .option(
      '--data <dir>',
      'keep the store of --app, --latency or --stored here, or in DATABASE_URL; only the first run fills it',
    )
    .option(
      '--against <dir>',
      'only the hub and the registry, in turn with those of the checkout in this directory, both from their sources',
    )
    .option(
      '--rounds <count>',
      'rounds of --against and --suites, of which the medians are printed',
      parseCount,
      5,
    )
    .option('--plots', 'only what docs/plots/ shows, on SQLite, and draw it')
    .option('--json <file>', 'with --plots: draw the figures of this file, without measuring')
    .option('--profile', 'what each line spends its processor time on; needs perf (linux-perf)')
    .option('--rows <texts...>', 'only the lines of --app whose names contain one of these texts')
    .parse(argv, { from: 'user' })
    .opts()
}

function listOption(
  flags: string,
  description: string,
  choices: readonly string[],
  preset: readonly string[],
): Option {
  return new Option(flags, description).choices(choices).default(preset, preset.join(', '))
}

function parseCount(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}
