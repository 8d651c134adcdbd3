/**
 * Towns of cloud regions as the clouds state them (AWS, Google and Microsoft in their own geofeeds, Oracle by the
 * region's name): country, ISO 3166-2 code and town, then the names of the regions. A line without a town names what
 * is published about those regions.
 */
const TOWNS = `
AE,AE-AZ,Abu Dhabi: me-abudhabi-1
AE,AE-DU,Dubai: me-central-1 uaecentral uaenorth me-dubai-1
AR,AR-C,Buenos Aires: us-east-1-bue-1
AT,AT-9,Vienna: austriaeast
AU,AU-ACT,Canberra: australiacentral australiacentral2
AU,AU-NSW,Sydney: ap-southeast-2 australia-southeast1 australiaeast ap-sydney-1
AU,AU-VIC,Melbourne: ap-southeast-4 australia-southeast2 australiasoutheast ap-melbourne-1
AU,AU-WA,Perth: ap-southeast-2-per-1
BE,BE-BRU,Brussels: europe-west1
BH,BH-13,Manama: me-south-1
BR,BR-CE,Fortaleza: brazilne
BR,BR-RJ,Rio de Janeiro: brazilse
BR,BR-SP,Campinas: brazilsouth
BR,BR-SP,Sao Paulo: sa-east-1 southamerica-east1 sa-saopaulo-1
BR,BR-SP,Vinhedo: sa-vinhedo-1
CA,CA-AB,Calgary: ca-west-1
CA,CA-ON,Toronto: northamerica-northeast2 canadacentral ca-toronto-1
CA,CA-QC,Montreal: ca-central-1 northamerica-northeast1 ca-montreal-1
CA,CA-QC,Quebec: canadaeast
CH,CH-GE,Geneva: switzerlandw
CH,CH-ZH,Zurich: eu-central-2 europe-west6 switzerlandn eu-zurich-1
CL,CL-RM,Santiago: sa-west-1 us-east-1-scl-1 southamerica-west1 chilec sa-santiago-1
CL,CL-VS,Valparaiso: sa-valparaiso-1
CN,CN-BJ,Beijing: cn-north-1
CN,CN-NX,: cn-northwest-1
CO,CO-DC,Bogota: sa-bogota-1
DE,DE-BE,Berlin: eusc-de-east-1 eu-central-1-wl1-ber-wlz-1 europe-west10 germanyn
DE,DE-BY,Munich: eu-central-1-wl1-muc-wlz-1
DE,DE-HE,Frankfurt am Main: eu-central-1 europe-west3 germanywc eu-frankfurt-1
DE,DE-HH,Hamburg: eu-central-1-ham-1
DE,DE-NW,Dortmund: eu-central-1-wl1-dtm-wlz-1
DK,DK-84,Copenhagen: eu-north-1-cph-1
ES,ES-MD,Madrid: europe-southwest1 spaincentral eu-madrid-1
ES,ES-AR,Zaragoza: eu-south-2
FI,FI-18,Helsinki: eu-north-1-hel-1 northeurope2
FI,FI-02,Lappeenranta: europe-north1
FR,FR-IDF,Paris: eu-west-3 europe-west9 centralfrance eu-paris-1
FR,FR-PAC,Marseille: southfrance eu-marseille-1
GB,GB-ENG,London: eu-west-2 europe-west2 uksouth uk-london-1
GB,GB-ENG,Manchester: eu-west-2-wl2-man-wlz-1
GB,GB-WLS,Cardiff: ukwest uk-cardiff-1
HK,,Hong Kong: ap-east-1 asia-east2 eastasia
ID,ID-JK,Jakarta: ap-southeast-3 asia-southeast2 indonesiacentral
ID,ID-KR,Batam: ap-batam-1
IE,IE-L,Dublin: eu-west-1 northeurope
IL,IL-JM,Jerusalem: il-jerusalem-1
IL,IL-TA,Tel Aviv: il-central-1 me-west1 israelcentral israelnorthwest
IN,IN-DL,Delhi: ap-south-1-del-1 ap-south-1-del-2
IN,IN-DL,New Delhi: asia-south2
IN,IN-GJ,Jamnagar: jioindiawest
IN,IN-MH,Mumbai: ap-south-1 asia-south1 westindia ap-mumbai-1
IN,IN-MH,Nagpur: jioindiacentral
IN,IN-MH,Pune: centralindia
IN,IN-TN,Chennai: southindia
IN,IN-TS,Hyderabad: ap-south-2 ap-hyderabad-1
IN,IN-WB,Kolkata: ap-south-1-ccu-1 ap-south-1-ccu-2
IT,IT-21,Turin: europe-west12
IT,IT-25,Milan: eu-south-1 europe-west8 italynorth eu-milan-1
JP,JP-13,Tokyo: ap-northeast-1 ap-northeast-1-wl1-nrt-wlz-1 asia-northeast1 japaneast ap-tokyo-1
JP,JP-27,Osaka: ap-northeast-3 ap-northeast-1-wl1-kix-wlz-1 asia-northeast2 japanwest ap-osaka-1
KR,KR-11,Seoul: asia-northeast3 koreacentral ap-seoul-1
KR,KR-26,Busan: koreasouth
KR,KR-28,Incheon: ap-northeast-2
KR,KR-30,Daejeon: ap-northeast-2-wl1-cjj-wlz-1
KR,KR-42,Chuncheon: ap-chuncheon-1
MX,MX-NLE,Monterrey: mx-monterrey-1
MX,MX-QUE,Queretaro: mx-central-1 us-east-1-qro-1 northamerica-south1 mexicocentral mx-queretaro-1
MY,MY-01,Johor Bahru: malaysiasouth
MY,MY-14,Kuala Lumpur: ap-southeast-5 malaysiawest
NG,NG-LA,Lagos: af-south-1-los-1
NL,NL-GR,Groningen: europe-west4
NL,NL-NH,Amsterdam: westeurope eu-amsterdam-1
NO,NO-03,Oslo: norwaye
NO,NO-11,Stavanger: norwayw
NZ,NZ-AUK,Auckland: ap-southeast-6 ap-southeast-2-akl-1 newzealandnorth
OM,OM-MA,Muscat: me-south-1-mct-1
PE,PE-LMA,Lima: us-east-1-lim-1
PH,PH-00,Manila: ap-southeast-1-mnl-1
PL,PL-14,Warsaw: eu-central-1-waw-1 europe-central2 polandcentral
QA,QA-DA,Doha: me-central1 qatarcentral
RS,,: eu-jovanovac-1
SA,SA-01,Riyadh: me-west-1 me-riyadh-1
SA,SA-02,Jeddah: me-jeddah-1
SA,SA-04,Dammam: me-central2
SE,SE-AB,Stockholm: eu-north-1 europe-north2 eu-stockholm-1
SE,SE-M,Malmo: swedensouth
SE,SE-X,Gavle: swedencentral
SG,,Singapore: ap-southeast-1 ap-southeast-1-sggov-sin-1a ap-southeast-1-sggov-sin-1b ap-southeast-1-sggov-sin-2 asia-southeast1 southeastasia ap-singapore-1 ap-singapore-2
TH,TH-10,Bangkok: ap-southeast-7 ap-southeast-1-bkk-1
TR,TR-34,Istanbul: eu-central-1-ist-1
TW,TW-TPE,Taipei: ap-east-2 ap-northeast-1-tpe-1 asia-east1 taiwannorth taiwannorthwest
US,US-AL,Huntsville: us-east7
US,US-AZ,Phoenix: us-west-2-phx-1 us-west-2-phx-2 us-west-2-wl1-phx-wlz-1 us-west8 westus3 us-phoenix-1
US,US-CA,Los Angeles: us-west-2-lax-1 us-west-2-wl1-lax-wlz-1 us-west2
US,US-CA,Sacramento: us-west-2-wl1-sfo-wlz-1
US,US-CA,San Jose: us-west-1 westus us-sanjose-1
US,US-CO,Denver: us-west-2-den-1 us-west-2-wl1-den-wlz-1
US,US-DC,Washington: us-east4 eastus
US,US-FL,Miami: us-east-1-mia-1 us-east-1-mia-2 us-east-1-wl1-mia-wlz-1
US,US-FL,Tampa: us-east-1-wl1-tpa-wlz-1
US,US-GA,Atlanta: us-east-1-atl-1 us-east-1-atl-2 us-east-1-wl1-atl-wlz-1
US,US-HI,Honolulu: us-west-2-hnl-1
US,US-IA,Council Bluffs: us-central1
US,US-IA,Des Moines: centralus centraluseuap
US,US-IL,Chicago: us-east-1-chi-1 us-east-1-chi-2 northcentralus us-chicago-1
US,US-KS,Lenexa: us-east-1-foe-wlz-1
US,US-MA,Boston: us-east-1-bos-1
US,US-MA,Westborough: us-east-1-wl1-bos-wlz-1
US,US-MD,Baltimore: us-east-1-wl1-was-wlz-1
US,US-MI,Detroit: us-east-1-wl1-dtw-wlz-1
US,US-MN,Minneapolis: us-east-1-msp-1 us-east-1-wl1-msp-wlz-1
US,US-MO,Kansas City: us-east-1-mci-1
US,US-MS,Jackson: us-east-2-jan-1
US,US-NC,Charlotte: us-east-1-wl1-clt-wlz-1
US,US-NJ,Piscataway: us-east-1-nyc-2
US,US-NJ,Trenton: us-east-1-wl1-nyc-wlz-1
US,US-NV,Las Vegas: us-west-2-las-1 us-west-2-las-1b us-west-2-wl1-las-wlz-1 us-west4
US,US-NY,New York: us-east-1-nyc-1
US,US-OH,Columbus: us-east-2 us-gov-east-1 us-east5
US,US-OK,Tulsa: us-central2
US,US-OR,Boardman: us-west-2 us-gov-west-1 us-boardman-1
US,US-OR,Portland: us-west-2-pdx-1
US,US-OR,The Dalles: us-west1
US,US-PA,Philadelphia: us-east-1-phl-1
US,US-SC,North Charleston: us-east1
US,US-TN,Nashville: us-east-1-wl1-bna-wlz-1
US,US-TX,Abilene: us-abilene-1
US,US-TX,Dallas: us-south-1 us-east-1-dfw-1 us-east-1-dfw-2 us-east-1-wl1-dfw-wlz-1 us-south1 southcentralus2 southeastus us-dallas-1
US,US-TX,Houston: us-east-1-iah-1 us-east-1-iah-2 us-east-1-wl1-iah-wlz-1
US,US-TX,San Antonio: southcentralus
US,US-UT,Salt Lake City: us-west3 us-saltlake-2
US,US-VA,Ashburn: us-east-1 us-ashburn-1
US,US-VA,Boydton: eastus2 eastus2euap
US,US-WA,Quincy: westus2
US,US-WA,Seattle: us-west-2-sea-1 us-west-2-wl1-sea-wlz-1
US,US-WI,Milwaukee: us-east-1-wl1-chi-wlz-1
US,US-WY,Cheyenne: westcentralus
VN,VN-HN,Hanoi: ap-southeast-1-han-1
ZA,ZA-GP,Johannesburg: africa-south1 southafricanorth af-johannesburg-1
ZA,ZA-WC,Cape Town: af-south-1 southafricawest`;

export const CLOUD_REGIONS: ReadonlyMap<string, string> = new Map(
  TOWNS.trim()
    .split('\n')
    .flatMap((line) => {
      const [place = '', regions = ''] = line.split(': ');
      return regions.split(' ').map((region) => [region, place] as const);
    }),
);
