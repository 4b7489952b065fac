import { existsSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { countSecrets, findSealingKey, secretFault } from '../../kernel/app-api/secrets.ts'
import { findServerKey, KEY_FILE_NAMES, KEY_FILES } from '../../kernel/base/server-key.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { addressOfPrivateKey } from '../../kernel/protocol/crypto/secp256k1.ts'
import { isTestKey } from '../../kernel/protocol/crypto/test-keys.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { missingKey, type RegistryConfig, storedSigner } from '../registry/port.ts'

// The keys that encrypt and sign data of a store; a backup needs them besides the rows.

/** The settings that may hold keys. Plain data, so that they can be handed to a thread. */
export type KeySettings = Pick<RegistryConfig, 'registryKey' | 'registryUrl'> & {
  readonly signerSecret: Uint8Array | undefined
}

export const keySettingsOf = ({
  signerSecret,
  registryKey,
  registryUrl,
}: KeySettings): KeySettings => ({ signerSecret, registryKey, registryUrl })

export type KeyedRows = Pick<Storage, 'of' | 'cursors' | 'schema'>

/** Why the keys of the settings and of these directories are not those of a store; undefined where they are. */
export type KeyFaults = { readonly secrets: string | undefined; readonly names: string | undefined }

export async function findKeyFaults(
  store: KeyedRows,
  settings: KeySettings,
  directories: readonly string[],
): Promise<KeyFaults> {
  const { sealed } = store.schema!
  const key = findSealingKey(settings.signerSecret, directories)
  return {
    secrets: secretFault(await countSecrets({ storage: store, sealed }, key), key),
    names: await nameFault(store, settings, directories),
  }
}

async function nameFault(
  store: KeyedRows,
  { registryKey, registryUrl }: KeySettings,
  directories: readonly string[],
): Promise<string | undefined> {
  const signer = await storedSigner(store)
  if (signer === undefined || registryUrl !== undefined) return undefined
  const files = directories.map((directory) => join(directory, KEY_FILES.registry.file))
  const keys = [registryKey, ...files.map(findServerKey)].filter((key) => key !== undefined)
  if (keys.some((key) => toHex(addressOfPrivateKey(key)) === signer)) return undefined
  // A key that the operator names may take over; the key of development networks is only a default.
  if (registryKey && !isTestKey(registryKey)) return undefined
  return missingKey(signer, files.at(-1)!)
}

/** Copies the key files of a directory to another one, without overwriting any. Returns the names of the key files found. */
export async function copyKeys(from: string, to: string): Promise<string[]> {
  const names = KEY_FILE_NAMES.filter((name) => existsSync(join(from, name)))
  for (const name of names) {
    if (!existsSync(join(to, name))) await copyFile(join(from, name), join(to, name))
  }
  return names
}
