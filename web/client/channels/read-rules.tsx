import { useState } from 'react'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import { useAct } from '../act/actor.ts'
import { LinkedText } from '../parts/cast-text.tsx'
import { useReadRules } from './own-channels.ts'

/** The rules of a channel, before the first post in it. */
export default function ReadRules({ id, rules }: { id: string; rules: string }) {
  const act = useAct()
  const keep = useReadRules()
  const [isBusy, setBusy] = useState(false)
  const accept = async () => {
    setBusy(true)
    await act((key) => keep(key, id, rules), { failed: t('That was not kept.') })
    setBusy(false)
  }
  return (
    <section className="channel-rules" aria-labelledby="channel-rules">
      <h2 id="channel-rules">{rich('Rules of {name}', { name: <bdi>/{id}</bdi> })}</h2>
      <p dir="auto">
        <LinkedText text={cleanText(rules)} />
      </p>
      <button type="button" className="primary" disabled={isBusy} onClick={accept}>
        {t('I have read them')}
      </button>
    </section>
  )
}
