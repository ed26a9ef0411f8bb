import { NOTHING_WAITED, type Ageing } from './domain/ageing.ts';
import type { Marker } from './domain/board.ts';
import type { ErrorCode } from './domain/errors.ts';
import type { OpenTask, StartOrder, SweepSettings } from './domain/sweep.ts';

export interface BoardInput {
  project: string;
  hostId: string;
  projectDir: string;
  ralphDir: string;
  settings: SweepSettings;
  carried?: Carried;
}

/** What survives continue-as-new. */
export interface Carried {
  sweeping: boolean;
  open: Record<string, OpenTask>;
  epochs: Record<string, number>;
  ageing: Ageing;
  failures: Record<string, string>;
  /** Tasks that this board saw merged: an old copy of the file must not have them done again. */
  merged: string[];
  /** Markers that tasks reported and that are not in the file yet. */
  unwritten: MarkerMove[];
}

export interface MarkerMove {
  id: string;
  marker: Marker;
}

export interface PendingOrder extends StartOrder {
  settled?: { epoch: number } | { refusal: string; code: ErrorCode };
}

/** A board that has seen nothing yet. */
export function freshBoard(): Carried {
  return {
    sweeping: false,
    open: {},
    epochs: {},
    ageing: NOTHING_WAITED,
    failures: {},
    merged: [],
    unwritten: [],
  };
}
