import { toHex } from '../../protocol/codec/bytes.ts'
import { type Filter, type Header, type Log, readHeader, readLogs, toQuantity } from './answers.ts'
import { ChainFault } from './fault.ts'
import { RangeSize } from './range.ts'
import { RpcNode } from './rpc-node.ts'

/** Block times that are cached: those of the newest ranges, which are read again. */
const MAX_TIMES = 2_000

/** The view of one node on the chain. Every answer is checked against its request. */
export class ChainNode extends RpcNode {
  readonly range = new RangeSize()
  readonly #times = new Map<string, number>()

  async head(): Promise<Header> {
    const head = readHeader(await this.ask('eth_getBlockByNumber', ['latest', false]))
    if (!head) throw new ChainFault('malformed', 'no newest block')
    return head
  }

  /** In the order of the numbers. Throws when the node has not reached one of the blocks. */
  async headers(numbers: readonly number[]): Promise<Header[]> {
    const asked = [...new Set(numbers)]
    const questions = asked.map((number) => ({
      method: 'eth_getBlockByNumber',
      params: [toQuantity(number), false],
    }))
    const answers = await this.askAll(questions)
    const headers = new Map(asked.map((number, i) => [number, headerOf(answers[i], number)]))
    return numbers.map((number) => headers.get(number)!)
  }

  async logs(filter: Filter): Promise<Log[]> {
    const question = {
      fromBlock: toQuantity(filter.fromBlock),
      toBlock: toQuantity(filter.toBlock),
      address: filter.addresses,
      topics: [filter.topics],
    }
    const answer = await this.ask('eth_getLogs', [question]).catch((error) => {
      // A range that took too long may succeed when it is shorter.
      if (error instanceof ChainFault && error.kind === 'timeout') this.range.refused()
      throw error
    })
    return readLogs(answer, filter)
  }

  /**
   * Times (Unix seconds) of the blocks of these logs by block number; requests only those that logs do not
   * contain.
   */
  async times(logs: readonly Log[]): Promise<ReadonlyMap<number, number>> {
    const times = new Map<number, number>()
    const unknown = new Map<string, number>()
    for (const { blockNumber, blockHash, blockTimestamp } of logs) {
      const time = blockTimestamp ?? this.#times.get(toHex(blockHash))
      if (time === undefined) unknown.set(toHex(blockHash), blockNumber)
      else times.set(blockNumber, time)
    }
    const questions = [...unknown.keys()].map((hash) => ({
      method: 'eth_getBlockByHash',
      params: [hash, false],
    }))
    const answers = await this.askAll(questions)
    for (const [i, [hash, number]] of [...unknown].entries()) {
      const header = headerOf(answers[i], number)
      if (toHex(header.hash) !== hash) throw new ChainFault('suspicious', 'another block')
      times.set(number, header.timestamp)
      this.#remember(hash, header.timestamp)
    }
    return times
  }

  #remember(hash: string, time: number): void {
    this.#times.set(hash, time)
    if (this.#times.size > MAX_TIMES) this.#times.delete(this.#times.keys().next().value!)
  }
}

function headerOf(answer: unknown, number: number): Header {
  const header = readHeader(answer)
  if (!header) throw new ChainFault('behind', `it does not have block ${number}`)
  if (header.number !== number) throw new ChainFault('suspicious', 'another block')
  return header
}
