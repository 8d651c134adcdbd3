// Made by scripts/client-types.ts from the OpenAPI document. Answers may have further keys: ignore those you do not know.

export type IPRisk = {
  /** The address in canonical form (RFC 5952). */
  readonly ip: string;
  readonly risk: Risk;
  /** none: never seen, no information. stale: seen and expired. active: fresh evidence is being scored. */
  readonly evidence_state: 'active' | 'stale' | 'none';
  /** The moment the verdict is for, UTC with milliseconds. */
  readonly computed_at: string;
  readonly network?: Network;
  readonly geo?: Geo;
  /** true when one source was unavailable. */
  readonly degraded?: true;
  /** About the answer. */
  readonly meta: {
    /** Versions of the data used. */
    readonly data_version: {
      /** Version of the risk data. */
      readonly risk: string;
      /** Version of the geo data. */
      readonly geo: string;
    };
    /** An operator of this service has corrected the verdict of this address (extension). */
    readonly override?: true;
  };
};

export type PulseIPRisk = {
  /** The address in canonical form (RFC 5952). */
  readonly ip: string;
  readonly risk: Risk;
  /** none: never seen, no information. stale: seen and expired. active: fresh evidence is being scored. */
  readonly evidence_state: 'active' | 'stale' | 'none';
  /** The moment the verdict is for: now, or the moment of `at`. */
  readonly computed_at: string;
  /** How many share the address: T0 one fixed party to T3 carrier NAT. */
  readonly share_tier: 'T0' | 'T1' | 'T2' | 'T3';
  /** Rows, strongest first. */
  readonly evidence: readonly Evidence[];
  /** Opaque pool handles, stable within one account. */
  readonly resource_pools?: readonly string[];
  /** dpa_required: exact times are withheld. */
  readonly professional_degraded?: 'dpa_required';
  readonly network?: Network;
  readonly geo?: Geo;
  /** About the answer. */
  readonly meta: {
    /** Versions of the data used. */
    readonly data_version: {
      /** Version of the risk data. */
      readonly risk: string;
      /** Version of the geo data. */
      readonly geo: string;
    };
    /** An operator of this service has corrected the verdict of this address (extension). */
    readonly override?: true;
  };
};

/** Score, level and the signals that fire; identical on both lookup endpoints. */
export type Risk = {
  /** Freshness and strength of evidence. Not a probability. Read evidence_state first. */
  readonly score: number;
  /** none = 0, low 1–29, medium 30–69, high 70–100. none does not mean safe. */
  readonly level: 'none' | 'low' | 'medium' | 'high';
  /** Sorted alphabetically; absent when nothing fires. */
  readonly signals?: readonly ('proxy' | 'vpn' | 'dialup_pool' | 'hijacked_proxy' | 'cloud_service' | 'cloud_phone' | 'osint' | 'crawler' | 'hosting' | 'mobile')[];
};

/** Network of the address. */
export type Network = {
  /** Autonomous system number. */
  readonly asn?: number;
  /** Usage code; open set, treat an unknown code as unknown. */
  readonly usage_type?: string;
};

/** Place, down to what is known. */
export type Geo = {
  /** Continent. */
  readonly continent?: 'AS' | 'EU' | 'NA' | 'SA' | 'AF' | 'OC' | 'AN';
  /** Country, ISO 3166-1 alpha-2. */
  readonly country?: string;
  /** ISO 3166-2 code, China only. */
  readonly subdivision?: string;
  /** GB/T 2260 division code, China only. */
  readonly admin_code?: string;
  /** First-level area, Latin name. */
  readonly region?: string;
  /** City, Latin name. */
  readonly city?: string;
  /** District or county, Latin name. */
  readonly district?: string;
  /** IANA time zone. */
  readonly tz?: string;
  /** Latitude; sent with lon or not at all. */
  readonly lat?: number;
  /** Longitude. */
  readonly lon?: number;
};

export type Evidence = {
  /** Kind of evidence. */
  readonly risk_type: 'proxy' | 'vpn' | 'dialup_pool' | 'hijacked_proxy' | 'cloud_service' | 'cloud_phone' | 'osint' | 'honeypot_scan' | 'honeypot_credential' | 'ipv6_range';
  /** How old, in bands. */
  readonly freshness: 'within_2h' | 'within_4h' | 'within_12h' | 'older';
  /** Distinct UTC dates with a capture, of the 14 ending at the moment asked about. */
  readonly obs_days: number;
  /** Exact capture time; needs a data-processing agreement. */
  readonly captured_at?: string;
  /** Minutes between capture and computed_at. */
  readonly age_min?: number;
};

export type Explanation = {
  /** The address in canonical form (RFC 5952). */
  readonly ip: string;
  /** The moment the verdict is for: now, or the moment of `at`. */
  readonly computed_at: string;
  /** Freshness and strength of evidence. Not a probability. Read evidence_state first. */
  readonly score: number;
  /** none = 0, low 1–29, medium 30–69, high 70–100. none does not mean safe. */
  readonly level: 'none' | 'low' | 'medium' | 'high';
  /** none: never seen, no information. stale: seen and expired. active: fresh evidence is being scored. */
  readonly evidence_state: 'active' | 'stale' | 'none';
  /** Version of the table of GET /v1/score/parameters. */
  readonly parameters_version: string;
  /** Rows that count or did count, strongest first. */
  readonly rows: readonly ({
    /** Kind of evidence. */
    readonly risk_type: 'proxy' | 'vpn' | 'dialup_pool' | 'hijacked_proxy' | 'cloud_service' | 'cloud_phone' | 'osint' | 'honeypot_scan' | 'honeypot_credential' | 'ipv6_range';
    /** Exact capture time; needs a data-processing agreement. */
    readonly captured_at?: string;
    /** Age of the capture that is strongest; needs a data-processing agreement. */
    readonly age_ms?: number;
    /** Distinct UTC dates with a capture, of the 14 ending at the newest capture: d of the formula. */
    readonly obs_days: number;
    /** B of the risk type. */
    readonly base: number;
    /** Length of the captured prefix. */
    readonly prefix_bits: number;
    /** Share of the base that the width of the captured prefix leaves. */
    readonly weight: number;
    /** Greatest strength of this source; less than 1 where it claims networks, or caught a proxy once at a gateway. */
    readonly strength_max: number;
    /** Validity window W; the strength is 0 from this age on. */
    readonly window_ms: number;
    /** Shape of the decay. */
    readonly delta: number;
    /** 1 − (age/W)^(1/δ), or 0 past the window. Without an agreement the age is in whole hours. */
    readonly remaining: number;
    /** The lesser of strength_max and base · weight · remaining. 1 − Π(1 − strength) makes the score. */
    readonly strength: number;
    /** When this row counts no longer; needs a data-processing agreement. */
    readonly expires_at?: string;
    /** Sources of its captures; for accounts of operators. */
    readonly seen_by?: readonly string[];
  })[];
  /** Bounds that hold the score, its osint rows together, or a proxy row (gateway) below what the rows add up to. */
  readonly caps: readonly ({
    /** The rule that holds the score. */
    readonly by: 'osint' | 'gateway' | 'known_service' | 'research_scanner' | 'override';
    /** Highest score. */
    readonly max: number;
  })[];
  /** The level of now and those below it, with their ends. */
  readonly leaves: readonly ({
    /** The level that ends. */
    readonly level: 'low' | 'medium' | 'high';
    /** When the score leaves the level if nothing more is captured; in whole hours without an agreement. */
    readonly at: string;
  })[];
  /** How the sharing tier comes about. */
  readonly share_tier: {
    /** How many share the address: T0 one fixed party to T3 carrier NAT. */
    readonly tier: 'T0' | 'T1' | 'T2' | 'T3';
    /** Tier by the usage code of the network, T1 where that is unknown. */
    readonly base: 'T0' | 'T1' | 'T2' | 'T3';
    /** Risk types that raise it; tor or relay for T3; empty where the base stands. */
    readonly raised_by: readonly string[];
  };
  /** The kind of service through which many people share the address. */
  readonly shared_by?: 'tor' | 'relay';
  /** The list of known services or research scanners that holds the score at 29 while lists alone name the address. */
  readonly known_as?: {
    /** Id of the list. */
    readonly id: string;
    /** The service or scanner. */
    readonly what: string;
    /** Where the list was read. */
    readonly source: string;
    /** Day of its content. */
    readonly seen: string;
    /** A research scanner. */
    readonly scanner?: true;
  };
  /** The override of the operator that is in force. */
  readonly overridden?: {
    /** Its id; for accounts of operators. */
    readonly id?: string;
    /** Prefix it is about. */
    readonly prefix: string;
    /** It holds the score at 1 while evidence is active. */
    readonly allow?: true;
    /** Risk type that its addresses count as. */
    readonly deny?: 'proxy' | 'vpn' | 'dialup_pool' | 'hijacked_proxy' | 'cloud_service' | 'cloud_phone' | 'osint' | 'honeypot_scan' | 'honeypot_credential' | 'ipv6_range';
    /** Its reason; for accounts of operators. */
    readonly reason?: string;
    /** Its beginning. */
    readonly from: string;
    /** Its end. */
    readonly until: string;
  };
  /** Evidence that follows from several captures together, with the rule. */
  readonly derived?: readonly ({
    /** Kind of evidence. */
    readonly risk_type: 'proxy' | 'vpn' | 'dialup_pool' | 'hijacked_proxy' | 'cloud_service' | 'cloud_phone' | 'osint' | 'honeypot_scan' | 'honeypot_credential' | 'ipv6_range';
    /** Prefix it is about. */
    readonly prefix: string;
    /** When it was derived; needs a data-processing agreement. */
    readonly at?: string;
    /** The rule; for accounts of operators with the sources by name. */
    readonly reason: string;
    /** Sources of its captures; for accounts of operators. */
    readonly seen_by?: readonly string[];
  })[];
  /** dpa_required: exact times are withheld. */
  readonly professional_degraded?: 'dpa_required';
  /** About the answer. */
  readonly meta: {
    /** Versions of the data used. */
    readonly data_version: {
      /** Version of the risk data. */
      readonly risk: string;
      /** Version of the geo data. */
      readonly geo: string;
    };
    /** An operator of this service has corrected the verdict of this address (extension). */
    readonly override?: true;
  };
};

export type FeedbackReceipt = {
  /** Id of the report; quote it when asking the operator. */
  readonly id: string;
};

export type IPTimeline = {
  /** The address in canonical form (RFC 5952). */
  readonly ip: string;
  /** Beginning of the time asked about. */
  readonly from: string;
  /** Its end. */
  readonly to: string;
  /** Earliest answerable moment. */
  readonly window_from: string;
  /** The verdict at from. */
  readonly start: {
    /** Freshness and strength of evidence. Not a probability. Read evidence_state first. */
    readonly score: number;
    /** none = 0, low 1–29, medium 30–69, high 70–100. none does not mean safe. */
    readonly level: 'none' | 'low' | 'medium' | 'high';
    /** none: never seen, no information. stale: seen and expired. active: fresh evidence is being scored. */
    readonly evidence_state: 'active' | 'stale' | 'none';
    /** Risk types that count, sorted. */
    readonly types: readonly ('proxy' | 'vpn' | 'dialup_pool' | 'hijacked_proxy' | 'cloud_service' | 'cloud_phone' | 'osint' | 'honeypot_scan' | 'honeypot_credential' | 'ipv6_range')[];
    /** An override of the operator is in force (extension). */
    readonly override?: true;
  };
  /** Every moment in (from, to] at which level, state, types or override changed, ascending. */
  readonly changes: readonly ({
    /** First moment of the new state; the next whole hour without an agreement. */
    readonly at: string;
    /** Freshness and strength of evidence. Not a probability. Read evidence_state first. */
    readonly score: number;
    /** none = 0, low 1–29, medium 30–69, high 70–100. none does not mean safe. */
    readonly level: 'none' | 'low' | 'medium' | 'high';
    /** none: never seen, no information. stale: seen and expired. active: fresh evidence is being scored. */
    readonly evidence_state: 'active' | 'stale' | 'none';
    /** Risk types that count, sorted. */
    readonly types: readonly ('proxy' | 'vpn' | 'dialup_pool' | 'hijacked_proxy' | 'cloud_service' | 'cloud_phone' | 'osint' | 'honeypot_scan' | 'honeypot_credential' | 'ipv6_range')[];
    /** An override of the operator is in force (extension). */
    readonly override?: true;
  })[];
  /** When verdicts lacked sources of evidence. */
  readonly gaps: readonly {
    /** Beginning. */
    readonly from: string;
    /** Its end. */
    readonly to: string;
    /** Sources missing; absent while that was not known. */
    readonly missing?: number;
  }[];
  /** dpa_required: exact times are withheld. */
  readonly professional_degraded?: 'dpa_required';
};

export type NetworkRisk = {
  /** The prefix in canonical form, or AS and its number. */
  readonly network: string;
  /** Addresses with evidence; a captured prefix counts with all its IPv4 addresses, or once in IPv6. */
  readonly addresses: number;
  /** Of these, addresses with active evidence. */
  readonly active: number;
  /** Addresses by state. */
  readonly by_state: {
    /** With active evidence. */
    readonly active: number;
    /** With expired evidence alone. */
    readonly stale: number;
  };
  /** Addresses by level. */
  readonly by_level: {
    /** Score 0. */
    readonly none: number;
    /** Score 1 to 29. */
    readonly low: number;
    /** 30 to 69. */
    readonly medium: number;
    /** 70 or more. */
    readonly high: number;
  };
  /** Addresses by risk type that counts. */
  readonly by_type: { readonly [key: string]: number };
  /** The addresses of their own with the highest scores, at most 50. */
  readonly riskiest: readonly ({
    /** The address in canonical form (RFC 5952). */
    readonly ip: string;
    /** Freshness and strength of evidence. Not a probability. Read evidence_state first. */
    readonly score: number;
    /** none = 0, low 1–29, medium 30–69, high 70–100. none does not mean safe. */
    readonly level: 'none' | 'low' | 'medium' | 'high';
    /** Signals that fire. */
    readonly signals: readonly ('proxy' | 'vpn' | 'dialup_pool' | 'hijacked_proxy' | 'cloud_service' | 'cloud_phone' | 'osint' | 'crawler' | 'hosting' | 'mobile')[];
  })[];
  /** Wider networks that hold it, the nearest first: prefixes, then the AS. */
  readonly around: readonly string[];
  /** Its parts with the most active addresses, at most 50. */
  readonly inside: readonly {
    /** Part of the network. */
    readonly network: string;
    /** Addresses with evidence; a captured prefix counts with all its IPv4 addresses, or once in IPv6. */
    readonly addresses: number;
    /** Of these, addresses with active evidence. */
    readonly active: number;
    /** Highest score in it. */
    readonly score: number;
  }[];
  /** The moment the verdicts are for. */
  readonly computed_at: string;
  /** About the answer. */
  readonly meta: {
    /** Versions of the data used. */
    readonly data_version: {
      /** Version of the risk data. */
      readonly risk: string;
      /** Version of the geo data. */
      readonly geo: string;
    };
    /** An operator of this service has corrected the verdict of this address (extension). */
    readonly override?: true;
  };
};

export type ScoreTable = {
  /** Version. */
  readonly version: string;
  /** One row a risk type. */
  readonly types: { readonly [key: string]: {
    /** B of the risk type. */
    readonly base: number;
    /** Validity window W at one observed day. */
    readonly window_ms: number;
    /** Shape of the decay. */
    readonly delta: number;
    /** c: with 1, fourteen observed days double the window. */
    readonly persistence: number;
  } };
  /** Greatest joint strength of all osint rows. */
  readonly osint_cap: number;
  /** Weights of captured prefixes, the longest first. */
  readonly prefix_weights: {
    /** Of IPv4 prefixes. */
    readonly ipv4: readonly {
      /** From this length of the prefix on. */
      readonly min_bits: number;
      /** Share of the base that the width of the captured prefix leaves. */
      readonly weight: number;
    }[];
    /** Of IPv6 prefixes. */
    readonly ipv6: readonly {
      /** From this length of the prefix on. */
      readonly min_bits: number;
      /** Share of the base that the width of the captured prefix leaves. */
      readonly weight: number;
    }[];
  };
  /** Weights of ipv6_range, in place of prefix_weights. */
  readonly ipv6_range_weights: readonly {
    /** From this length of the prefix on. */
    readonly min_bits: number;
    /** Share of the base that the width of the captured prefix leaves. */
    readonly weight: number;
  }[];
  /** Greatest strength of a source that claims networks. */
  readonly claim_max: number;
  /** Highest score of a known service or scanner that lists alone name. */
  readonly known_good_max: number;
};

export type Watchlist = {
  /** Name of the list in its path. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Addresses and prefixes. */
  readonly entries: readonly string[];
  /** Changes that are told. */
  readonly on: readonly ('state' | 'level')[];
  /** Changes are told that reach this level before or after. */
  readonly min_level?: 'none' | 'low' | 'medium' | 'high';
  /** Receiver of deliveries. */
  readonly webhook: {
    /** Address that deliveries are sent to. */
    readonly url: string;
    /** Key of the signatures; only in the answer that creates the list. */
    readonly secret?: string;
    /** It answered 410 then; nothing more is sent until the list is set again. */
    readonly gone_at?: string;
  };
  /** When it was created. */
  readonly created_at: string;
  /** Changes until then have been taken in. */
  readonly checked_at: string;
};

export type Watchlists = {
  /** The lists of the account, at most 10. */
  readonly watchlists: readonly Watchlist[];
};

export type WatchDelivery = {
  /** Sent as webhook-id; the same at every attempt. */
  readonly id: string;
  /** Address or network that it is about; absent in a test. */
  readonly ip?: string;
  /** Moment of the change. */
  readonly at: string;
  /** waiting: attempted again at next_at. failed: given up after 24 hours, at 410, or after the one attempt of a test. */
  readonly state: 'waiting' | 'delivered' | 'failed';
  /** Attempts so far. */
  readonly attempts: number;
  /** Next attempt. */
  readonly next_at?: string;
  /** Status of the last answer, or the reason why there was none. */
  readonly result?: string;
  /** The JSON that is sent. */
  readonly body: string;
};

export type WatchDeliveries = {
  /** The newest first, at most 100. */
  readonly deliveries: readonly WatchDelivery[];
};

export type Me = {
  /** Kind of caller. */
  readonly tier: 'ip' | 'user' | 'key';
  /** Whose allowance it is. */
  readonly quota_scope: 'ip' | 'account';
  /** Plan of the account. */
  readonly plan: string;
  /** Lookups per minute. */
  readonly per_min: number;
  /** Lookups per day. */
  readonly per_day: number;
  /** Percent the day may run past the allowance. */
  readonly overage_pct?: number;
  /** Time zone of the quota day. */
  readonly quota_day_tz: string;
  /** Used today. */
  readonly used_today?: number;
  /** Left today. */
  readonly remaining?: number;
  /** Used beyond the allowance today. */
  readonly over_today?: number;
  /** Unix seconds of the next reset. */
  readonly reset_unix?: number;
  /** First characters of the key. */
  readonly key_prefix?: string;
  /** When the key was made. */
  readonly created_at?: string;
  /** Daily cap of this key. */
  readonly key_per_day?: number;
  /** What else the account may do. */
  readonly capabilities?: {
    /** Phone numbers, counted apart. */
    readonly phone?: {
      /** Used today. */
      readonly used_today: number;
      /** Given back today. */
      readonly refunded_today: number;
      /** Left today. */
      readonly remaining: number;
    };
  };
  /** Where to ask for more. */
  readonly sales_contact?: string;
};

/** hit false does not mean safe. */
export type PhoneProfile = {
  /** The number as it was read. */
  readonly query: {
    /** As received. */
    readonly input: string;
    /** International form. */
    readonly e164: string;
    /** National part. */
    readonly national_number: string;
    /** Calling code. */
    readonly country_code: number;
    /** Country of the calling code. */
    readonly country: {
      /** Country; null for +1 and shared codes. */
      readonly iso2: string | null;
    };
    /** Whether the length fits the plan; null when no plan is known. */
    readonly valid_length: boolean | null;
  };
  /** Whether the number is in a library; false does not mean safe. */
  readonly hit: true;
  /** active, or stale: not captured for over 90 days; give it less weight. */
  readonly evidence_state: 'active' | 'stale';
  /** Score, level and tags. */
  readonly risk: {
    /** Raw score of the data source; absent when it states none. */
    readonly score?: number;
    /** Band of the score; one lower when stale. */
    readonly level: 'none' | 'low' | 'medium' | 'high';
    /** Main tag. */
    readonly primary_tag?: {
      /** Stable code. */
      readonly code: number;
      /** Stable name. */
      readonly slug: string;
    };
    /** All tags. */
    readonly tags: readonly {
      /** Stable code. */
      readonly code: number;
      /** Stable name. */
      readonly slug: string;
    }[];
  };
  /** When it was seen. */
  readonly activity: {
    /** First seen. */
    readonly first_seen?: string;
    /** Last seen. */
    readonly last_active: string;
    /** Days since. */
    readonly last_active_days_ago: number;
    /** Days it was seen on. */
    readonly observed_days?: number;
  };
  /** Carrier, mainland China only. */
  readonly carrier?: {
    /** ISO 3166-2. */
    readonly province?: string;
    /** GB/T 2260. */
    readonly city_code?: string;
    /** Operator code, such as CMCC. */
    readonly carrier?: string;
    /** Kind of line. */
    readonly attribute?: {
      /** Stable code. */
      readonly code: number;
      /** Stable name. */
      readonly slug: string;
    };
    /** Kind of card. */
    readonly card_type?: {
      /** Stable code. */
      readonly code: number;
      /** Stable name. */
      readonly slug: string;
    };
  };
  /** What each library holds. */
  readonly sources: readonly ({
    /** cn or sg. */
    readonly library: 'cn' | 'sg';
    /** Raw score in this library; absent when it states none. */
    readonly risk?: number;
    /** Its tag. */
    readonly tag?: {
      /** Stable code. */
      readonly code: number;
      /** Stable name. */
      readonly slug: string;
    };
    /** First seen. */
    readonly first_seen?: string;
    /** Last seen. */
    readonly last_active: string;
  })[];
  /** About the answer. */
  readonly meta: {
    /** Quote it when reporting a problem. */
    readonly request_id: string;
    /** Versions of the data used. */
    readonly data_version: {
      /** Version of library cn. */
      readonly cn: string;
      /** Version of library sg. */
      readonly sg: string;
      /** Newest increment of cn. */
      readonly cn_minute?: string;
      /** Newest increment of sg. */
      readonly sg_minute?: string;
    };
  };
} | {
  /** The number as it was read. */
  readonly query: {
    /** As received. */
    readonly input: string;
    /** International form. */
    readonly e164: string;
    /** National part. */
    readonly national_number: string;
    /** Calling code. */
    readonly country_code: number;
    /** Country of the calling code. */
    readonly country: {
      /** Country; null for +1 and shared codes. */
      readonly iso2: string | null;
    };
    /** Whether the length fits the plan; null when no plan is known. */
    readonly valid_length: boolean | null;
  };
  /** Whether the number is in a library; false does not mean safe. */
  readonly hit: false;
  /** Never captured; does not mean safe. */
  readonly evidence_state: 'none';
  /** Score, level and tags. */
  readonly risk: {
    readonly score: 0;
    /** Band of the score. */
    readonly level: 'none';
    /** All tags. */
    readonly tags: readonly [];
  };
  /** Why nothing was found. */
  readonly miss_reason: 'not_in_risk_db' | 'unqueryable_bad_length';
  /** About the answer. */
  readonly meta: {
    /** Quote it when reporting a problem. */
    readonly request_id: string;
    /** Versions of the data used. */
    readonly data_version: {
      /** Version of library cn. */
      readonly cn: string;
      /** Version of library sg. */
      readonly sg: string;
      /** Newest increment of cn. */
      readonly cn_minute?: string;
      /** Newest increment of sg. */
      readonly sg_minute?: string;
    };
  };
};

export type PhoneBatch = {
  /** Numbers sent. */
  readonly count: number;
  /** Numbers charged. */
  readonly billable: number;
  /** Numbers found. */
  readonly hit_count: number;
  /** In input order, each as for a single lookup; an unparseable one holds an error. */
  readonly results: readonly ({
    /** The number as it was read. */
    readonly query: {
      /** As received. */
      readonly input: string;
      /** International form. */
      readonly e164: string;
      /** National part. */
      readonly national_number: string;
      /** Calling code. */
      readonly country_code: number;
      /** Country of the calling code. */
      readonly country: {
        /** Country; null for +1 and shared codes. */
        readonly iso2: string | null;
      };
      /** Whether the length fits the plan; null when no plan is known. */
      readonly valid_length: boolean | null;
    };
    /** Whether the number is in a library; false does not mean safe. */
    readonly hit: true;
    /** active, or stale: not captured for over 90 days; give it less weight. */
    readonly evidence_state: 'active' | 'stale';
    /** Score, level and tags. */
    readonly risk: {
      /** Raw score of the data source; absent when it states none. */
      readonly score?: number;
      /** Band of the score; one lower when stale. */
      readonly level: 'none' | 'low' | 'medium' | 'high';
      /** Main tag. */
      readonly primary_tag?: {
        /** Stable code. */
        readonly code: number;
        /** Stable name. */
        readonly slug: string;
      };
      /** All tags. */
      readonly tags: readonly {
        /** Stable code. */
        readonly code: number;
        /** Stable name. */
        readonly slug: string;
      }[];
    };
    /** When it was seen. */
    readonly activity: {
      /** First seen. */
      readonly first_seen?: string;
      /** Last seen. */
      readonly last_active: string;
      /** Days since. */
      readonly last_active_days_ago: number;
      /** Days it was seen on. */
      readonly observed_days?: number;
    };
    /** Carrier, mainland China only. */
    readonly carrier?: {
      /** ISO 3166-2. */
      readonly province?: string;
      /** GB/T 2260. */
      readonly city_code?: string;
      /** Operator code, such as CMCC. */
      readonly carrier?: string;
      /** Kind of line. */
      readonly attribute?: {
        /** Stable code. */
        readonly code: number;
        /** Stable name. */
        readonly slug: string;
      };
      /** Kind of card. */
      readonly card_type?: {
        /** Stable code. */
        readonly code: number;
        /** Stable name. */
        readonly slug: string;
      };
    };
    /** What each library holds. */
    readonly sources: readonly ({
      /** cn or sg. */
      readonly library: 'cn' | 'sg';
      /** Raw score in this library; absent when it states none. */
      readonly risk?: number;
      /** Its tag. */
      readonly tag?: {
        /** Stable code. */
        readonly code: number;
        /** Stable name. */
        readonly slug: string;
      };
      /** First seen. */
      readonly first_seen?: string;
      /** Last seen. */
      readonly last_active: string;
    })[];
    /** About the answer. */
    readonly meta: {
      /** Quote it when reporting a problem. */
      readonly request_id: string;
      /** Versions of the data used. */
      readonly data_version: {
        /** Version of library cn. */
        readonly cn: string;
        /** Version of library sg. */
        readonly sg: string;
        /** Newest increment of cn. */
        readonly cn_minute?: string;
        /** Newest increment of sg. */
        readonly sg_minute?: string;
      };
    };
  } | {
    /** The number as it was read. */
    readonly query: {
      /** As received. */
      readonly input: string;
      /** International form. */
      readonly e164: string;
      /** National part. */
      readonly national_number: string;
      /** Calling code. */
      readonly country_code: number;
      /** Country of the calling code. */
      readonly country: {
        /** Country; null for +1 and shared codes. */
        readonly iso2: string | null;
      };
      /** Whether the length fits the plan; null when no plan is known. */
      readonly valid_length: boolean | null;
    };
    /** Whether the number is in a library; false does not mean safe. */
    readonly hit: false;
    /** Never captured; does not mean safe. */
    readonly evidence_state: 'none';
    /** Score, level and tags. */
    readonly risk: {
      readonly score: 0;
      /** Band of the score. */
      readonly level: 'none';
      /** All tags. */
      readonly tags: readonly [];
    };
    /** Why nothing was found. */
    readonly miss_reason: 'not_in_risk_db' | 'unqueryable_bad_length';
    /** About the answer. */
    readonly meta: {
      /** Quote it when reporting a problem. */
      readonly request_id: string;
      /** Versions of the data used. */
      readonly data_version: {
        /** Version of library cn. */
        readonly cn: string;
        /** Version of library sg. */
        readonly sg: string;
        /** Newest increment of cn. */
        readonly cn_minute?: string;
        /** Newest increment of sg. */
        readonly sg_minute?: string;
      };
    };
  } | {
    /** The number as it was read. */
    readonly query: {
      /** As received. */
      readonly input: string;
    };
    /** Whether the number is in a library; false does not mean safe. */
    readonly hit: false;
    /** The problem. */
    readonly error: {
      /** Stable code. */
      readonly code: 'bad_number';
      /** English prose; may change. */
      readonly message: string;
    };
  })[];
};

export type PhoneTags = {
  /** Version. */
  readonly version: string;
  /** Risk tags. */
  readonly risk_tags: readonly {
    /** Stable code. */
    readonly code: number;
    /** Stable name. */
    readonly slug: string;
    /** Label. */
    readonly label: string;
    /** Description. */
    readonly description: string;
  }[];
  /** Kinds of line. */
  readonly card_attributes: readonly {
    /** Stable code. */
    readonly code: number;
    /** Stable name. */
    readonly slug: string;
    /** Label. */
    readonly label: string;
    /** Description. */
    readonly description: string;
  }[];
  /** Kinds of card. */
  readonly card_types: readonly {
    /** Stable code. */
    readonly code: number;
    /** Stable name. */
    readonly slug: string;
    /** Label. */
    readonly label: string;
    /** Description. */
    readonly description: string;
  }[];
  /** Evidence states. */
  readonly evidence_states: readonly ({
    /** Stable name. */
    readonly slug: 'active' | 'stale' | 'none';
    /** Label. */
    readonly label: string;
    /** Description. */
    readonly description: string;
  })[];
  /** Levels and their bounds. */
  readonly levels: readonly ({
    /** Stable name. */
    readonly slug: 'none' | 'low' | 'medium' | 'high';
    /** Lowest score. */
    readonly min: number;
    /** Highest score. */
    readonly max: number;
  })[];
  /** About the answer. */
  readonly meta: {
    /** Quote it when reporting a problem. */
    readonly request_id: string;
  };
};

export type PhoneCoverage = {
  /** The libraries. */
  readonly libraries: readonly ({
    /** cn or sg. */
    readonly library: 'cn' | 'sg';
    /** Records. */
    readonly records: number;
    /** Versions of the data used. */
    readonly data_version: string;
    /** Last full load. */
    readonly last_full_at: string;
    /** Last increment. */
    readonly last_increment_at?: string;
    /** ISO 8601 durations as observed; absent below three loads. */
    readonly cadence?: {
      /** Full load. */
      readonly full?: string;
      /** Increment. */
      readonly increment?: string;
    };
  })[];
  /** Days until a number is stale. */
  readonly stale_after_days: number;
  /** Number segments. */
  readonly segments: {
    /** Version. */
    readonly version: string;
    /** Records. */
    readonly records: number;
  };
  /** About the answer. */
  readonly meta: {
    /** Quote it when reporting a problem. */
    readonly request_id: string;
    /** Versions of the data used. */
    readonly data_version: {
      /** Version of library cn. */
      readonly cn: string;
      /** Version of library sg. */
      readonly sg: string;
      /** Newest increment of cn. */
      readonly cn_minute?: string;
      /** Newest increment of sg. */
      readonly sg_minute?: string;
    };
  };
};

export type Intake = {
  /** Lines read. */
  readonly lines: number;
  /** Captures taken in, those known before included. */
  readonly accepted: number;
  /** Captures that were new. */
  readonly added: number;
  /** Rows not taken in, by reason, each with its first line numbers. */
  readonly refused: { readonly [key: string]: {
    /** Rows refused for this reason. */
    readonly count: number;
    /** Numbers of the first such lines. */
    readonly first_lines?: readonly number[];
  } };
  /** true: this batch was taken in before, and the answer is that of the first time. */
  readonly replayed?: true;
};

export type BeaconExit = {
  /** The address in canonical form (RFC 5952). */
  readonly ip: string;
  /** Kind of evidence. */
  readonly risk_type: 'proxy' | 'vpn' | 'dialup_pool' | 'hijacked_proxy' | 'cloud_service' | 'cloud_phone';
  /** Internal name of the group the exit belongs to, for the holder of the token. */
  readonly pool?: string;
  /** When the exit was captured; for calls within one minute of the clock, the time of the first. */
  readonly captured_at: string;
};

export type IPBatch = {
  /** Items sent. */
  readonly count: number;
  /** Items with a verdict; the others cost nothing of the day. */
  readonly billable: number;
  /** In input order: the body of the single lookup, or the input with an error. */
  readonly results: readonly (IPRisk | {
    /** The input as it was sent; of more than 64 characters the first 64 and “…”. */
    readonly ip: string;
    /** The problem. */
    readonly error: {
      /** Stable; branch on it. */
      readonly code: 'invalid_ip' | 'reserved_ip' | 'key_in_query' | 'invalid_time' | 'at_out_of_window' | 'history_not_enabled' | 'history_no_ipv6' | 'bad_request' | 'bad_number' | 'weak_password' | 'link_invalid' | 'key_required' | 'invalid_key' | 'revoked_key' | 'key_expired' | 'sign_in_required' | 'invalid_credentials' | 'professional_required' | 'history_requires_professional' | 'capability_not_eligible' | 'capability_not_enabled' | 'denied' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'precondition_failed' | 'payload_too_large' | 'unsupported_media_type' | 'email_taken' | 'rate_limited' | 'quota_exceeded' | 'quota_exceeded_anon' | 'key_quota_exceeded' | 'quota_exceeded_ai_agent' | 'batch_over_rate_limit' | 'internal_error' | 'upstream_unavailable' | 'not_ready' | 'history_unavailable' | 'phone_disabled' | 'quota_unavailable' | 'missing_ip';
      /** English prose; may change. */
      readonly message: string;
      /** Seconds to wait. */
      readonly retry_after?: number;
      /** When the allowance is reset. */
      readonly resets_at?: string;
      /** What to do. */
      readonly next_step?: string;
      /** Where to sign up. */
      readonly signup_url?: string;
      /** Plans. */
      readonly pricing_url?: string;
      /** The console. */
      readonly console_url?: string;
      /** Earliest answerable moment. */
      readonly window_from?: string;
      /** MCP endpoint with a larger allowance. */
      readonly signed_in_endpoint?: string;
    };
  })[];
};

export type PulseIPBatch = {
  /** Items sent. */
  readonly count: number;
  /** Items with a verdict; the others cost nothing of the day. */
  readonly billable: number;
  /** In input order: the body of the single lookup, or the input with an error. */
  readonly results: readonly (PulseIPRisk | {
    /** The input as it was sent; of more than 64 characters the first 64 and “…”. */
    readonly ip: string;
    /** The problem. */
    readonly error: {
      /** Stable; branch on it. */
      readonly code: 'invalid_ip' | 'reserved_ip' | 'key_in_query' | 'invalid_time' | 'at_out_of_window' | 'history_not_enabled' | 'history_no_ipv6' | 'bad_request' | 'bad_number' | 'weak_password' | 'link_invalid' | 'key_required' | 'invalid_key' | 'revoked_key' | 'key_expired' | 'sign_in_required' | 'invalid_credentials' | 'professional_required' | 'history_requires_professional' | 'capability_not_eligible' | 'capability_not_enabled' | 'denied' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'precondition_failed' | 'payload_too_large' | 'unsupported_media_type' | 'email_taken' | 'rate_limited' | 'quota_exceeded' | 'quota_exceeded_anon' | 'key_quota_exceeded' | 'quota_exceeded_ai_agent' | 'batch_over_rate_limit' | 'internal_error' | 'upstream_unavailable' | 'not_ready' | 'history_unavailable' | 'phone_disabled' | 'quota_unavailable' | 'missing_ip';
      /** English prose; may change. */
      readonly message: string;
      /** Seconds to wait. */
      readonly retry_after?: number;
      /** When the allowance is reset. */
      readonly resets_at?: string;
      /** What to do. */
      readonly next_step?: string;
      /** Where to sign up. */
      readonly signup_url?: string;
      /** Plans. */
      readonly pricing_url?: string;
      /** The console. */
      readonly console_url?: string;
      /** Earliest answerable moment. */
      readonly window_from?: string;
      /** MCP endpoint with a larger allowance. */
      readonly signed_in_endpoint?: string;
    };
  })[];
};

export type Sandbox = {
  /** The moment of every verdict of the sandbox. */
  readonly computed_at: string;
  /** Addresses of these ranges that are not in the table are ones never seen. */
  readonly ranges: readonly string[];
  /** In the order of the manual. */
  readonly addresses: readonly ({
    /** What to ask for. */
    readonly ip: string;
    /** In a few words. */
    readonly shows: string;
    /** Paths that answer so; on the other one the address is one never seen. */
    readonly paths: readonly ('/sandbox/v1/ip/{ip}' | '/sandbox/pulse/v1/ip/{ip}')[];
    /** HTTP status. */
    readonly status: 200;
    /** none: never seen, no information. stale: seen and expired. active: fresh evidence is being scored. */
    readonly evidence_state: 'active' | 'stale' | 'none';
    /** Score of the verdict. */
    readonly score: number;
    /** Band of the score. */
    readonly level: 'none' | 'low' | 'medium' | 'high';
    /** How many share the address: T0 one fixed party to T3 carrier NAT. */
    readonly share_tier: 'T0' | 'T1' | 'T2' | 'T3';
    /** Of the evidence rows, strongest first. */
    readonly risk_types: readonly ('proxy' | 'vpn' | 'dialup_pool' | 'hijacked_proxy' | 'cloud_service' | 'cloud_phone' | 'osint' | 'honeypot_scan' | 'honeypot_credential' | 'ipv6_range')[];
  } | {
    /** What to ask for. */
    readonly ip: string;
    /** In a few words. */
    readonly shows: string;
    /** Paths that answer so; on the other one the address is one never seen. */
    readonly paths: readonly ('/sandbox/v1/ip/{ip}' | '/sandbox/pulse/v1/ip/{ip}')[];
    /** HTTP status. */
    readonly status: number;
    /** Code of the refusal. */
    readonly code: 'invalid_ip' | 'reserved_ip' | 'key_in_query' | 'invalid_time' | 'at_out_of_window' | 'history_not_enabled' | 'history_no_ipv6' | 'bad_request' | 'bad_number' | 'weak_password' | 'link_invalid' | 'key_required' | 'invalid_key' | 'revoked_key' | 'key_expired' | 'sign_in_required' | 'invalid_credentials' | 'professional_required' | 'history_requires_professional' | 'capability_not_eligible' | 'capability_not_enabled' | 'denied' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'precondition_failed' | 'payload_too_large' | 'unsupported_media_type' | 'email_taken' | 'rate_limited' | 'quota_exceeded' | 'quota_exceeded_anon' | 'key_quota_exceeded' | 'quota_exceeded_ai_agent' | 'batch_over_rate_limit' | 'internal_error' | 'upstream_unavailable' | 'not_ready' | 'history_unavailable' | 'phone_disabled' | 'quota_unavailable' | 'missing_ip';
  })[];
};

export type ErrorBody = {
  /** With bad_number of a single phone lookup: the number as received. */
  readonly query?: {
    /** As received. */
    readonly input: string;
  };
  /** The problem. */
  readonly error: {
    /** Stable; branch on it. */
    readonly code: 'invalid_ip' | 'reserved_ip' | 'key_in_query' | 'invalid_time' | 'at_out_of_window' | 'history_not_enabled' | 'history_no_ipv6' | 'bad_request' | 'bad_number' | 'weak_password' | 'link_invalid' | 'key_required' | 'invalid_key' | 'revoked_key' | 'key_expired' | 'sign_in_required' | 'invalid_credentials' | 'professional_required' | 'history_requires_professional' | 'capability_not_eligible' | 'capability_not_enabled' | 'denied' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'precondition_failed' | 'payload_too_large' | 'unsupported_media_type' | 'email_taken' | 'rate_limited' | 'quota_exceeded' | 'quota_exceeded_anon' | 'key_quota_exceeded' | 'quota_exceeded_ai_agent' | 'batch_over_rate_limit' | 'internal_error' | 'upstream_unavailable' | 'not_ready' | 'history_unavailable' | 'phone_disabled' | 'quota_unavailable' | 'missing_ip';
    /** English prose; may change. */
    readonly message: string;
    /** Seconds to wait. */
    readonly retry_after?: number;
    /** When the allowance is reset. */
    readonly resets_at?: string;
    /** What to do. */
    readonly next_step?: string;
    /** Where to sign up. */
    readonly signup_url?: string;
    /** Plans. */
    readonly pricing_url?: string;
    /** The console. */
    readonly console_url?: string;
    /** Earliest answerable moment. */
    readonly window_from?: string;
    /** MCP endpoint with a larger allowance. */
    readonly signed_in_endpoint?: string;
  };
};
