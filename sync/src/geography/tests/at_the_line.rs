//! Positions at the line of two counties, and in ZIPs that are larger than some states.

use super::*;

fn county(place: &Place) -> (u32, PositionVerdict) {
    let located = Gazetteer::get().locate(place);
    (located.county.map_or(0, CountyFips::number), located.position)
}

#[test]
fn a_position_in_a_county_of_its_zip_is_believed_however_large_the_zip_is() {
    let used = PositionVerdict::Used;
    assert_eq!(county(&place("Fairbanks", "AK", "99701", "", Some((64.8326, -147.741)))), (2090, used));
    assert_eq!(county(&place("Cody", "WY", "82414", "", Some((44.5247, -109.072)))), (56029, used));
    assert_eq!(county(&place("Tonopah", "NV", "89049", "", Some((38.0672, -117.2301)))), (32023, used));
    let elsewhere = place("Cody", "WY", "82414", "", Some((41.14, -104.82)));
    assert_eq!(county(&elsewhere), (56029, PositionVerdict::FarFromZip));
}

#[test]
fn near_a_line_the_only_county_of_the_zip_counts() {
    let brookline = Some((42.33176, -71.12116));
    assert_eq!(county(&place("", "", "", "", brookline)).0, 25025, "the shape");
    assert_eq!(county(&place("Brookline", "MA", "02445", "", brookline)).0, 25021);
    assert_eq!(county(&place("Boston", "MA", "02115", "", brookline)).0, 25025);
    assert_eq!(county(&place("Brookline", "MA", "02445", "", Some((42.3601, -71.0589)))).0, 25025, "in Boston");
    assert_eq!(county(&place("Far Rockaway", "NY", "11691", "", Some((40.60538, -73.75513)))).0, 36081);
}

#[test]
fn cities_whose_shapes_are_too_coarse() {
    for (stated, want) in [
        (place("Falls Church", "VA", "22046", "", Some((38.8852, -77.174))), 51610),
        (place("", "VA", "22046", "", Some((38.8852, -77.174))), 51610),
        (place("Falls Church", "VA", "", "", Some((38.8852, -77.174))), 51610),
        (place("Falls Church", "VA", "", "", None), 51610),
        (place("Falls Church", "VA", "22042", "", Some((38.868, -77.185))), 51059),
        (place("Falls Church", "VA", "22044", "", Some((38.8728, -77.1575))), 51059),
        (place("Falls Church", "VA", "22041", "", None), 51059),
        (place("McLean", "VA", "22046", "", Some((38.8990, -77.1790))), 51059),
        (place("Colonial Heights", "VA", "23834", "", Some((37.251, -77.41))), 51570),
        (place("Manassas Park", "VA", "20111", "", Some((38.784, -77.4697))), 51685),
        (place("Manassas", "VA", "20111", "", Some((38.784, -77.4697))), 51153),
        (place("", "VA", "", "Manassas Park City", Some((38.784, -77.4697))), 51685),
    ] {
        assert_eq!(county(&stated).0, want, "{stated:?}");
    }
}
