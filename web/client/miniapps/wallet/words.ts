import { t } from '../../../shared/messages.ts'
import { readTypedData, textOf } from './refusals.ts'

// A request of a wallet in words, for the prompt.

export type Row = { readonly name: string; readonly value: string }
export type Words = { readonly heading: string; readonly rows: readonly Row[] }

const MAX_CHARACTERS = 4_000
const WEI_DIGITS = 18

const cut = (text: string) =>
  text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text

/** Methods that the user decides about. */
const WORDS: Readonly<Record<string, (params: readonly unknown[], domain: string) => Words>> = {
  personal_sign: ([message], domain) => ({
    heading: t('{domain} asks you to sign a text', { domain }),
    rows: [{ name: t('Text'), value: cut(textOf(message)) }],
  }),
  eth_signTypedData_v4: ([, data], domain) => {
    const parts = (readTypedData(data) ?? {}) as Record<string, unknown>
    const { name, verifyingContract, chainId } = (parts.domain ?? {}) as Record<string, unknown>
    return {
      heading: t('{domain} asks you to sign data', { domain }),
      rows: [
        ...rowsOf([
          [t('For', undefined, 'the program or site for which data is signed'), name],
          [t('Contract'), verifyingContract],
          [t('Chain'), chainId],
        ]),
        { name: String(parts.primaryType), value: cut(JSON.stringify(parts.message, null, 1)) },
      ],
    }
  },
  eth_sendTransaction: ([transaction], domain) => ({
    heading: t('{domain} asks you to send a transaction', { domain }),
    rows: transactionRows(transaction),
  }),
  wallet_sendCalls: ([batch], domain) => {
    const { calls = [] } = (batch ?? {}) as { calls?: readonly unknown[] }
    return {
      heading: t(
        '{count, plural, one {{domain} asks you to send # transaction} other {{domain} asks you to send # transactions}}',
        { domain, count: calls.length },
      ),
      rows: calls.flatMap(transactionRows),
    }
  },
  wallet_switchEthereumChain: ([wanted], domain) => {
    const { chainId } = (wanted ?? {}) as { chainId?: unknown }
    return {
      heading: t('{domain} asks your wallet to use another chain', { domain }),
      rows: rowsOf([[t('Chain'), Number(chainId)]]),
    }
  },
}

export const needsUser = (method: string): boolean => Object.hasOwn(WORDS, method)

export const wordsOf = (method: string, params: readonly unknown[], domain: string): Words =>
  WORDS[method]!(params, domain)

const rowsOf = (values: readonly (readonly [name: string, value: unknown])[]): Row[] =>
  values.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [{ name, value: cut(String(value)) }],
  )

function transactionRows(transaction: unknown): Row[] {
  const { to, value, data } = (transaction ?? {}) as Record<string, unknown>
  const bytes = typeof data === 'string' ? Math.max(0, (data.length - 2) / 2) : 0
  return rowsOf([
    [t('To'), to ?? t('a new contract')],
    [t('Value', undefined, 'an amount of money'), t('{ether} ETH', { ether: etherOf(value) })],
    [
      t('Data'),
      bytes > 0
        ? t('{bytes, plural, one {# byte: {data}} other {# bytes: {data}}}', {
            bytes,
            data: String(data).slice(0, 74),
          })
        : t('none'),
    ],
  ])
}

/** Wei in hex as ether, exactly. */
export function etherOf(value: unknown): string {
  const wei = /^0x[0-9a-f]{1,64}$/i.test(String(value)) ? BigInt(String(value)) : 0n
  const digits = wei.toString().padStart(WEI_DIGITS + 1, '0')
  const fraction = digits.slice(-WEI_DIGITS).replace(/0+$/, '')
  return digits.slice(0, -WEI_DIGITS) + (fraction && `.${fraction}`)
}
