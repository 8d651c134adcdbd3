/** Body of GET /sandbox: the addresses that the sandbox answers for, and what each of them shows (decisions 10.8). */
import type { ErrorCode } from './errors.ts';
import type { EvidenceState, Level, RiskType, ShareTier } from './risk.ts';

/** Paths of the sandbox; behind `/sandbox` they are those of the service. */
export const SANDBOX_PATHS = ['/sandbox/v1/ip/{ip}', '/sandbox/pulse/v1/ip/{ip}'] as const;
export type SandboxPath = (typeof SANDBOX_PATHS)[number];

interface Entry {
  readonly ip: string;
  /** In a few words. */
  readonly shows: string;
  /** Paths that answer so; on the other one the address is one never seen. */
  readonly paths: readonly SandboxPath[];
}

/** An address with a verdict. */
export interface SandboxVerdict extends Entry {
  readonly status: 200;
  readonly evidence_state: EvidenceState;
  readonly score: number;
  readonly level: Level;
  readonly share_tier: ShareTier;
  /** Risk types of its evidence rows, strongest first. */
  readonly risk_types: readonly RiskType[];
}

/** An address with a refusal. */
export interface SandboxRefusal extends Entry {
  readonly status: number;
  readonly code: ErrorCode;
}

export interface SandboxTable {
  /** The moment every verdict of the sandbox is for. */
  readonly computed_at: string;
  /** Documentation ranges. Their addresses that are not in the table are ones never seen. */
  readonly ranges: readonly string[];
  readonly addresses: readonly (SandboxVerdict | SandboxRefusal)[];
}
