import type { Command } from 'commander'
import { getJson } from './client.ts'
import { Failure } from './failure.ts'
import { at } from './network.ts'

/** An account that was named in an argument; `resolvePeople` replaces it by a fid. */
export class PersonName {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** Replaces the names in the arguments and options of a command by fids, which the hub knows. */
export async function resolvePeople(command: Command, defaultHub: string): Promise<void> {
  const hub: string = command.opts().hub ?? defaultHub
  const found = new Map<string, number>()
  const resolve = async (value: unknown): Promise<unknown> => {
    if (value instanceof PersonName) {
      const fid = found.get(value.name) ?? (await fidOfName(hub, value.name))
      found.set(value.name, fid)
      return fid
    }
    if (Array.isArray(value)) return Promise.all(value.map(resolve))
    if (isCastOfPerson(value)) return { ...value, fid: await resolve(value.fid) }
    return value
  }
  command.processedArgs = await Promise.all(command.processedArgs.map(resolve))
  for (const [key, value] of Object.entries(command.opts())) {
    const source = command.getOptionValueSource(key)
    command.setOptionValueWithSource(key, await resolve(value), source)
  }
}

const isCastOfPerson = (value: unknown): value is { fid: PersonName } =>
  typeof value === 'object' && value !== null && 'fid' in value && value.fid instanceof PersonName

async function fidOfName(hub: string, name: string): Promise<number> {
  const proof = await findProof(hub, name)
  if (proof) return proof.fid
  throw new Failure(`no account on ${hub} has the name "${name}"`)
}

/** The proof of a name; undefined when no account has it. */
export const findProof = (hub: string, name: string): Promise<{ fid: number } | undefined> =>
  getJson(at(hub, `/v1/userNameProofByName?name=${encodeURIComponent(name)}`))
