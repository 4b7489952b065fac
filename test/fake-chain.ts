// A JSON-RPC server that answers as a chain would: it knows a few names, and one verdict of contracts.

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Address,
  decodeFunctionData,
  encodeAbiParameters,
  type Hex,
  namehash,
  parseAbi,
} from 'viem'

const CALLS = parseAbi([
  'function resolveWithGateways(bytes name, bytes data, string[] gateways) view returns (bytes, address)',
  'function resolver(bytes32 node) view returns (address)',
  'function addr(bytes32 node) view returns (address)',
])
const NOBODY = `0x${'00'.repeat(20)}` as const
const A_RESOLVER = `0x${'11'.repeat(20)}` as const

export async function startFakeChain() {
  const chain = {
    /** Who names resolve to: ENS by the universal resolver, base names by their own. */
    names: new Map<string, Uint8Array>(),
    /** What every contract wallet says of every signature. */
    contractSays: false,
    down: false,
    /** Questions it was asked so far. */
    asked: 0,
    url: '',
    close: async () => {},
  }
  const server = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse(await textOf(request))
    chain.asked++
    if (chain.down) return void response.writeHead(502).end('down')
    // The chain id is the path of the URL, 1 without one.
    const chainId = `0x${Number(request.url?.slice(1) || 1).toString(16)}`
    const result = method === 'eth_call' ? answer(chain, params[0]) : chainId
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  // A test that is late would find its connection closed, and the node at fault.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  chain.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  chain.close = () => new Promise((resolve) => server.close(() => resolve()))
  return chain
}

type Chain = Awaited<ReturnType<typeof startFakeChain>>

function answer({ names, contractSays }: Chain, { to, data }: { to?: Address; data: Hex }): Hex {
  // A call without a receiver carries the code of the validator that asks the wallet.
  if (!to) return contractSays ? '0x01' : '0x00'
  const { functionName, args } = decodeFunctionData({ abi: CALLS, data })
  if (functionName === 'resolveWithGateways') {
    const name = labelsOf(Buffer.from(args[0].slice(2), 'hex')).join('.')
    const found = encodeAddress(hexOf(names.get(name)))
    return encodeAbiParameters([{ type: 'bytes' }, { type: 'address' }], [found, NOBODY])
  }
  const name = [...names.keys()].find((one) => namehash(one) === args[0])
  if (functionName === 'addr') return encodeAddress(hexOf(names.get(name ?? '')))
  return encodeAddress(name ? A_RESOLVER : NOBODY)
}

const encodeAddress = (address: Address) => encodeAbiParameters([{ type: 'address' }], [address])

const hexOf = (address: Uint8Array | undefined): Address =>
  address ? `0x${Buffer.from(address).toString('hex')}` : NOBODY

/** The labels of a name as DNS packets spell it: each behind its length, a zero at the end. */
function labelsOf(packet: Buffer): string[] {
  const labels: string[] = []
  for (let at = 0; packet[at]; at += packet[at]! + 1) {
    labels.push(packet.subarray(at + 1, at + 1 + packet[at]!).toString())
  }
  return labels
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
