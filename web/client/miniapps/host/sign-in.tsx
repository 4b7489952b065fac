import { type ReactNode, useEffect, useState } from 'react'
import { base64url, bytesOf, hexOf, utf8Of } from '../../../shared/bytes.ts'
import { t } from '../../../shared/messages.ts'
import { Busy, Notice } from '../../../shared/page.tsx'
import { rich } from '../../../shared/rich.tsx'
import { type Connection, explain } from '../../../wallets/provider.ts'
import { WalletUnlock } from '../../account/wallet-unlock.tsx'
import { signInMethodOf } from '../../act/account-calls.ts'
import { networkNow } from '../../act/network.ts'
import { Unlock } from '../../custody/unlock.tsx'
import { useOwnUser } from '../../parts/discover.tsx'
import { handleOf } from '../../parts/person.tsx'
import type { AppHost } from './app-host.ts'
import { Choices, PromptHeading, type PromptProps } from './prompt-parts.tsx'
import type { SignedDomain, SignedIn } from './prompts.ts'
import { actingWallet } from './remembered-wallet.ts'
import { signInMessage } from './siwf.ts'

// What the owner of the account signs for an app: a sign-in at its domain, and in the developer's room its domain.

const sign = async ({ wallet: { provider }, address }: Connection, text: string): Promise<string> =>
  String(
    await provider.request({ method: 'personal_sign', params: [hexOf(utf8Of(text)), address] }),
  )

export function SignInPrompt({ host, prompt, isArmed, headingId }: PromptProps<'signIn'>) {
  const { domain, key } = host.ports
  const user = useOwnUser()
  const signIn = async (
    connection: Connection,
    authMethod: SignedIn['authMethod'],
  ): Promise<SignedIn> => {
    const now = (await networkNow()) * 1_000
    const signer = { address: connection.address, fid: key.fid, now }
    const message = signInMessage(host.ports.launch.url, prompt.about, signer)
    return { message, signature: await sign(connection, message), authMethod }
  }
  const who = user ? handleOf(user) : t('account {fid}', { fid: String(key.fid) })
  return (
    <OwnerPrompt
      {...{ host, isArmed }}
      yes={t('Sign in')}
      acceptsAuthAddress={prompt.about.acceptAuthAddress ?? true}
      work={async (connection, method) => prompt.answer(await signIn(connection, method))}
      refuse={() => prompt.answer(undefined)}
    >
      <PromptHeading id={headingId}>
        {rich('Sign in to {domain} as {who}?', { domain: <strong>{domain}</strong>, who })}
      </PromptHeading>
      <p>
        {t(
          'You sign a message that only {domain} can use. It proves who you are and allows nothing else.',
          { domain },
        )}
      </p>
    </OwnerPrompt>
  )
}

/** An association of a domain with its author, for the manifest of the app. */
export function SignDomainPrompt({ host, prompt, isArmed, headingId }: PromptProps<'signDomain'>) {
  const { domain } = prompt.about
  const { key } = host.ports
  return (
    <OwnerPrompt
      {...{ host, isArmed }}
      yes={t('Sign this domain')}
      work={async (connection) => prompt.answer(await signDomain(connection, key.fid, domain))}
      refuse={() => prompt.answer(undefined)}
    >
      <PromptHeading id={headingId}>
        {t('Say that {domain} is your app?', { domain })}
      </PromptHeading>
      <p>{t('The signature goes into the manifest of the app. Everybody can read it.')}</p>
    </OwnerPrompt>
  )
}

export async function signDomain(
  connection: Connection,
  fid: number,
  domain: string,
): Promise<SignedDomain> {
  const encode = (value: object) => base64url(utf8Of(JSON.stringify(value)))
  const header = encode({ fid, type: 'custody', key: connection.address })
  const payload = encode({ domain })
  const signature = base64url(bytesOf(await sign(connection, `${header}.${payload}`)))
  return { header, payload, signature }
}

type OwnerProps = {
  readonly host: AppHost
  readonly isArmed: boolean
  readonly yes: string
  /** Whether an auth address of the account may sign too. */
  readonly acceptsAuthAddress?: boolean
  readonly work: (connection: Connection, method: SignedIn['authMethod']) => Promise<void>
  readonly refuse: () => void
  readonly children: ReactNode
}

/** A question whose yes needs the key that owns the account: of a wallet, or sealed in this browser. */
function OwnerPrompt({
  host,
  isArmed,
  yes,
  acceptsAuthAddress = false,
  work,
  refuse,
  children,
}: OwnerProps) {
  const { fid } = host.ports.key
  const [acting, setActing] = useState<Connection | null>()
  const [isAsked, setAsked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    actingWallet(fid).then(
      (found) => setActing(found ?? null),
      () => setActing(null),
    )
  }, [fid])
  const run = async (connection: Connection) => {
    setBusy(true)
    setProblem(undefined)
    try {
      const method = await signInMethodOf(fid, connection.address)
      if (!method) throw new Error(t('That is the key of another account.'))
      if (method === 'authAddress' && !acceptsAuthAddress) {
        throw new Error(
          t('That is an auth address. Here only the key that owns the account counts.'),
        )
      }
      await work(connection, method)
    } catch (error) {
      setProblem(explain(error))
    }
    setBusy(false)
  }
  const onOpened = ({ connection }: { connection: Connection }) => run(connection)
  return (
    <>
      {children}
      {isAsked && acting === null && (
        <>
          <p>
            {acceptsAuthAddress
              ? t(
                  'Show that it is you: this needs the key that owns your account, or a wallet that may sign in for it.',
                )
              : t('Show that it is you: this needs the key that owns your account.')}
          </p>
          <Unlock fid={fid} onOpened={onOpened} />
          <WalletUnlock onOpened={onOpened} />
        </>
      )}
      {isBusy && <Busy>{t('Waiting for the signature …')}</Busy>}
      {problem && <Notice tone="bad">{problem}</Notice>}
      <Choices
        yes={yes}
        isArmed={isArmed && acting !== undefined && !(isAsked && acting === null)}
        isBusy={isBusy}
        onYes={() => (acting ? run(acting) : setAsked(true))}
        onNo={refuse}
      />
    </>
  )
}
