// The command line of `npm run bench`.

import { Command, InvalidArgumentError, Option } from 'commander'

const ENGINES = ['sqlite', 'postgres'] as const
const PARTS = ['hub', 'grpc', 'registry', 'platform', 'chain', 'app'] as const
const EVERYDAY_PARTS = PARTS.filter((part) => part !== 'app')

export type BenchOptions = {
  readonly messages: number
  readonly engine: readonly string[]
  readonly part: readonly string[]
  readonly chain: number
  readonly badges?: number
  readonly processes?: number
  readonly app?: true
  readonly users: number
  readonly data?: string
  readonly rows?: readonly string[]
}

const DESCRIPTION =
  'Measures what the program does per second, beside what a bare node:http server and raw ' +
  'Ed25519 do in the same run, so that machines can be compared.'
const EXAMPLES = `
Examples:
  npm run bench -- --messages 20000 --engine sqlite --part hub
  npm run bench -- --app --messages 11000000 --data DIR   the app API over a large network
  npm run bench -- --processes 2 --messages 20000         several processes on one PostgreSQL
  npm run bench -- --badges 1000000                       one badge run over a million accounts`

/** Prints a help text for --help, and an error for options that do not exist or have a wrong value. */
export function readBenchOptions(argv: readonly string[]): BenchOptions {
  return benchCommand().parse(argv, { from: 'user' }).opts()
}

export function benchCommand(): Command {
  return new Command('npm run bench --')
    .description(DESCRIPTION)
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError('Add --help for the options.')
    .allowExcessArguments(false)
    .option('--messages <count>', 'messages that are submitted', parseCount, 100_000)
    .addOption(listOption('--engine <names...>', 'engines that are measured', ENGINES, ENGINES))
    .addOption(listOption('--part <names...>', 'what is measured', PARTS, EVERYDAY_PARTS))
    .option('--chain <count>', 'on-chain events of the part chain', parseCount, 200_000)
    .option('--badges <count>', 'only a badge run, over so many accounts', parseCount)
    .option('--processes <count>', 'only submits to so many processes', parseCount)
    .option('--app', 'only the app API, over a network of --users and --messages')
    .option('--users <count>', 'accounts of --app', parseCount, 100_000)
    .option(
      '--data <dir>',
      'keep the store of --app here, or in DATABASE_URL; only the first run fills it',
    )
    .option('--rows <texts...>', 'only the lines of --app whose names contain one of these texts')
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
