// Compiles contracts/*.sol. The output is committed, so that only developers who change a contract need the
// compiler.
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

const directory = fileURLToPath(new URL('../contracts', import.meta.url))

/** File contents by name in contracts/compiled/: the bytecode to deploy and the ABI. */
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
      // Abstract contracts have nothing to deploy.
      if (evm.bytecode.object === '') return []
      const compiled = { abi, bytecode: `0x${evm.bytecode.object}` }
      return [[`${name}.json`, `${JSON.stringify(compiled, null, 2)}\n`]]
    }),
  )
}

const SETTINGS = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: 'paris',
  // Without metadata the same source gives the same bytecode in any directory.
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
}
