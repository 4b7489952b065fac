import { bytesOf, hexOf, utf8Of } from '../../shared/bytes.ts'
import { t } from '../../shared/messages.ts'
import { type Copy, keysOf, type NewCopy, newSalt, open, seal } from './seal.ts'

export const MIN_PASSWORD_CHARACTERS = 10

/** The same letters can be typed as different characters. */
const bytesOfPassword = (password: string) => utf8Of(password.normalize('NFKC'))

function stretch(password: string, salt: Uint8Array): Promise<Uint8Array> {
  const worker = new Worker(new URL('./stretch-worker.ts', import.meta.url), { type: 'module' })
  return new Promise<Uint8Array>((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = () =>
      reject(new Error(t('This browser cannot work with the password. Is it short of memory?')))
    worker.postMessage({ password: bytesOfPassword(password), salt })
  }).finally(() => worker.terminate())
}

export async function sealWithPassword(words: string, password: string): Promise<NewCopy> {
  const salt = newSalt()
  const { key, proof } = await keysOf(await stretch(password, salt), salt)
  const sealed = await seal(words, key)
  return { kind: 'password', salt: hexOf(salt), proof: hexOf(proof), sealed }
}

/** What opens a copy with this salt, and what shows the server that one knows the password. */
export const passwordKeys = async (password: string, salt: string) =>
  keysOf(await stretch(password, bytesOf(salt)), bytesOf(salt))

export async function openWithPassword(copy: Copy, password: string): Promise<string> {
  const { key } = await passwordKeys(password, copy.salt)
  const words = await open(bytesOf(copy.sealed), key)
  if (!words) throw new Error(t('The password is wrong.'))
  return words
}
