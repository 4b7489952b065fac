import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { BY_OPERATOR } from '../../shared/moderation-statistics.tsx'
import { rich } from '../../shared/rich.tsx'
import { ask } from '../api.ts'
import { Loaded, Section } from '../parts/section.tsx'
import { Time } from '../parts/time.tsx'
import { useActors } from '../parts/who.tsx'

const PATH = '/server/translator'

type Kind = 'libretranslate' | 'deepl'
type Translator = {
  readonly kind: Kind | null
  readonly address: string | null
  readonly ownNetwork: boolean
  readonly hasKey: boolean
  readonly monthly: number
  readonly used: number
  readonly changedAt: number | null
  readonly changedBy: string | null
}

const KINDS: Readonly<Record<Kind, { name: string; example: string }>> = {
  libretranslate: { name: 'LibreTranslate', example: 'https://libretranslate.com' },
  deepl: { name: 'DeepL', example: 'https://api-free.deepl.com' },
}

/** The service that translates posts for members. */
export function TranslatorScreen() {
  const query = useQuery({ queryKey: ['translator'], queryFn: () => ask<Translator>(PATH) })
  return (
    <Section
      heading={t('Translator')}
      note={t(
        'Members can have a {post} translated that is in a language they do not read. Its text is sent to the service that you name here, and nothing about who wrote or reads it: say so in your privacy text. Without a service members are offered translators of their own.',
      )}
    >
      <Loaded query={query}>
        {(translator) => (
          <TranslatorForm
            key={`${translator.kind} ${translator.changedAt}`}
            translator={translator}
          />
        )}
      </Loaded>
    </Section>
  )
}

function TranslatorForm({ translator }: { translator: Translator }) {
  const queries = useQueryClient()
  const nameActor = useActors(BY_OPERATOR)
  const [kind, setKind] = useState<Kind>(translator.kind ?? 'libretranslate')
  const [address, setAddress] = useState(translator.address ?? '')
  const [ownNetwork, setOwnNetwork] = useState(translator.ownNetwork)
  const [key, setKey] = useState('')
  const [monthly, setMonthly] = useState(String(translator.monthly))
  const kept = (answer: Translator) => queries.setQueryData(['translator'], answer)
  const save = useMutation({
    mutationFn: () =>
      ask<Translator>(PATH, {
        method: 'PUT',
        body: {
          ...{ kind, address, ownNetwork, monthly: Number(monthly) },
          ...(key !== '' && { key }),
        },
      }),
    onSuccess: kept,
  })
  const end = useMutation({
    mutationFn: () => ask<Translator>(PATH, { method: 'DELETE', body: {} }),
    onSuccess: kept,
  })
  const isBusy = save.isPending || end.isPending
  const error = save.error ?? end.error
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const { changedAt, changedBy, used } = translator
  return (
    <form onSubmit={submit} className="stacked">
      <label className="field">
        <span>{t('Service')}</span>
        <select value={kind} onChange={({ target }) => setKind(target.value as Kind)}>
          {Object.entries(KINDS).map(([value, { name }]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>{t('Address')}</span>
        <input
          type="url"
          required
          dir="ltr"
          placeholder={KINDS[kind].example}
          value={address}
          onChange={({ target }) => setAddress(target.value)}
        />
      </label>
      <label className="choice">
        <input
          type="checkbox"
          checked={ownNetwork}
          onChange={({ target }) => setOwnNetwork(target.checked)}
        />{' '}
        {t('It is in the network of this server: http and private addresses are allowed')}
      </label>
      <label className="field">
        <span>{t('Key')}</span>
        <input
          type="password"
          autoComplete="off"
          dir="ltr"
          required={kind === 'deepl' && !translator.hasKey}
          placeholder={translator.hasKey ? '••••••••' : ''}
          value={key}
          onChange={({ target }) => setKey(target.value)}
        />
        <small className="muted">
          {translator.hasKey
            ? t('A key is stored, and is not shown. Left empty, it stays for this address.')
            : t('LibreTranslate may need none.')}
        </small>
      </label>
      <label className="field narrow">
        <span>{t('Characters in 30 days')}</span>
        <input
          type="number"
          required
          min={1_000}
          max={1_000_000_000}
          value={monthly}
          onChange={({ target }) => setMonthly(target.value)}
        />
        <small className="muted">
          {t('{count, plural, one {# was sent} other {# were sent}} in the present 30 days.', {
            count: used,
          })}
        </small>
      </label>
      {changedAt !== null && (
        <p className="muted" role="status">
          {rich('In force. Changed here by {by}, {time}.', {
            by: <bdi>{nameActor(changedBy!)}</bdi>,
            time: <Time at={changedAt} />,
          })}
        </p>
      )}
      {error && (
        <p className="fault" role="alert" dir="auto">
          {error.message}
        </p>
      )}
      <div className="buttons">
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? t('Trying it …') : t('Try it and save')}
        </button>
        {translator.kind !== null && (
          <button type="button" className="danger" disabled={isBusy} onClick={() => end.mutate()}>
            {t('Have nothing translated')}
          </button>
        )}
      </div>
    </form>
  )
}
