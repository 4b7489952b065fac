// Compiles contracts/*.sol. What comes out is committed, so that only who changes a contract needs the compiler.
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

const directory = fileURLToPath(new URL('../contracts', import.meta.url))

/** Text by file name in contracts/compiled/: what to deploy, and how to call it. */
export function compileContracts(): Record<string, string> {
  const files = globSync('*.sol', { cwd: directory }).sort()
  const sources = Object.fromEntries(
    files.map((file) => [file, { content: readFileSync(`${directory}/${file}`, 'utf8') }]),
  )
  const { errors = [], contracts } = JSON.parse(
    solc.compile(JSON.stringify({ language: 'Solidity', sources, settings: SETTINGS })),
  )
  if (errors.length > 0) {
    throw new Error(
      errors.map((error: { formattedMessage: string }) => error.formattedMessage).join('\n'),
    )
  }
  return Object.fromEntries(
    files.flatMap((file) => {
      const name = basename(file, '.sol')
      const { abi, evm } = contracts[file][name]
      // What others only inherit from has nothing to deploy.
      if (evm.bytecode.object === '') return []
      const compiled = { abi, bytecode: `0x${evm.bytecode.object}` }
      return [[`${name}.json`, `${JSON.stringify(compiled, null, 2)}\n`]]
    }),
  )
}

const SETTINGS = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: 'paris',
  // Without it the same source always gives the same bytes, wherever it lies.
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
}
