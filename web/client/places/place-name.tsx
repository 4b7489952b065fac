import { placeName } from './places.ts'

type Props = { latitude: number; longitude: number; otherwise: string }

/** The name of a place, or its degrees far from every town. */
export default function PlaceName({ latitude, longitude, otherwise }: Props) {
  return <bdi>{placeName(latitude, longitude) ?? otherwise}</bdi>
}
